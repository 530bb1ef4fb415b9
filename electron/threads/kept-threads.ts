import type { Served } from './calls.ts'
import type { OwnThread } from './own-thread.ts'

/** How long a thread waits for its next owner: a start takes some 90 ms of processor time, more than most work. */
const idleMs = 5_000

interface Kept {
  thread: OwnThread<object>
  /** Of its owner. */
  events: object
  onEnd: (cause: Error | null) => void
  ending?: NodeJS.Timeout
}

/** Threads without an owner, by kind. */
const idle = new Map<string, Kept>()

export interface TakenThread<Calls> extends OwnThread<Calls> {
  /** Keeps it for the next owner of its kind. Only for one that has nothing of this owner left. */
  leave(): Promise<void>
}

/** Drops what a thread without an owner still reports. */
const noEvents = new Proxy({}, { get: () => () => {} })

function keep(kind: string, kept: Kept): void {
  idle.set(kind, kept)
  kept.thread.setNeeded(false)
  kept.ending = setTimeout(() => {
    idle.delete(kind)
    void kept.thread.end()
  }, idleMs).unref()
}

function started(kind: string, start: (events: object) => OwnThread<object>): Kept {
  const events = new Proxy({}, { get: (_, name) => kept.events[name as keyof object] })
  const kept: Kept = { thread: start(events), events: {}, onEnd() {} }
  void kept.thread.ended.then((cause) => {
    if (idle.get(kind) === kept) idle.delete(kind)
    kept.onEnd(cause)
  })
  return kept
}

/** A thread that an earlier owner left, or a new one. */
export function takeThread<Calls extends object, Events extends object>(
  kind: string,
  start: (events: Served<Events>) => OwnThread<Calls>,
  events: Served<Events>,
): TakenThread<Calls> {
  const kept = idle.get(kind) ?? started(kind, start as (events: object) => OwnThread<object>)
  idle.delete(kind)
  clearTimeout(kept.ending)
  const { promise: ended, resolve } = Promise.withResolvers<Error | null>()
  Object.assign(kept, { events, onEnd: resolve })
  const thread = kept.thread as OwnThread<Calls>
  thread.setNeeded(true)
  return {
    ...thread,
    ended,
    async leave() {
      if (idle.has(kind)) return thread.end()
      Object.assign(kept, { events: noEvents, onEnd() {} })
      keep(kind, kept)
    },
  }
}
