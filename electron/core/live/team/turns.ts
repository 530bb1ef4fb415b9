import type { Clock } from '../../../lib/clock.ts'
import { digestOf } from '../../../lib/digest.ts'
import { nextPulse, type Pulse } from '../../../lib/pulse.ts'
import { type TeamTurn, textOf } from '../../people/dnc/team-entries.ts'

/** A console that took its turn and doesn't say within this time that it acted is skipped. */
const turnMs = 30_000
/** Own entries that wait at most; the oldest go first. */
export const mostTurns = 100
/** A turn counts this long after it was taken. Clocks may be minutes apart. */
const keptMs = 15 * 60_000
/** Consoles see the same alert within this time. What was done earlier was about another one. */
const sameAlertMs = 2 * 60_000

interface Turns {
  /** Consoles in the order of the log. */
  order: string[]
  /** The last colleague who acted, at what time of their clock, and when this console read so. */
  done: { by: string; atMs: number; readMs: number } | null
  firstMs: number
}

/**
 * Which console acts on an alert that all see: the first whose entry is in the log. Kept in memory only. `pulse` tells of entries and of
 * `mayWait`.
 */
export function createTurns(parts: {
  /** Names this run of this computer. */
  consoleId: string
  /** Whether to wait for entries: they may be posted, and come now or, unless it is urgent, later. */
  mayWait: (isUrgent: boolean) => boolean
  /** Null outside a team. */
  author: () => string | null
  onPost: () => void
  pulse: Pulse
  clock: Clock
}) {
  const { consoleId, clock, pulse } = parts
  const known = new Map<string, Turns>()
  let waiting: TeamTurn[] = []

  function post(about: string, isDone: boolean): void {
    const author = parts.author()
    if (author === null) return
    const entry = { about, console: consoleId, isDone, author, atMs: clock.now() }
    waiting = [...waiting, { kind: 'turn' as const, ...entry }].slice(-mostTurns)
    parts.onPost()
  }

  function turnsOf(about: string): Turns | undefined {
    for (const [key, { firstMs }] of known) if (clock.monotonic() - firstMs > keptMs) known.delete(key)
    return known.get(about)
  }

  /** Who has acted; null when it is this console's turn. Better twice than never. */
  async function wait(about: string, isUrgent: boolean): Promise<string | null> {
    const startMs = clock.monotonic()
    while (parts.mayWait(isUrgent)) {
      const { order = [], done = null } = turnsOf(about) ?? {}
      if (done && done.readMs >= startMs - sameAlertMs) return done.by
      const place = order.indexOf(consoleId)
      const restMs = startMs + turnMs * (place === -1 ? 1 : place) - clock.monotonic()
      if (restMs <= 0) return null
      await nextPulse(pulse, clock, restMs)
    }
    return null
  }

  return {
    /** Takes an entry of the log. */
    read(entry: TeamTurn): void {
      const isOwn = entry.console === consoleId
      if (isOwn) waiting = waiting.filter((one) => one.about !== entry.about || one.isDone !== entry.isDone)
      if (Math.abs(clock.now() - entry.atMs) > keptMs) return
      const turns = turnsOf(entry.about) ?? { order: [], done: null, firstMs: clock.monotonic() }
      known.set(entry.about, turns)
      // A log that is read again says nothing new.
      if (entry.isDone && !isOwn && entry.atMs > (turns.done?.atMs ?? -Infinity))
        turns.done = { by: entry.author, atMs: entry.atMs, readMs: clock.monotonic() }
      if (!turns.order.includes(entry.console)) turns.order.push(entry.console)
    },
    waiting: () =>
      waiting.map((entry) => {
        const text = textOf(entry)
        return { key: text, text, isProven: true }
      }),
    /**
     * Does `work` unless a colleague's console did what is named alike. Returns that colleague's name, or null. Urgent work doesn't wait
     * for a relay that can't be reached.
     */
    async act(
      what: readonly string[],
      work: () => Promise<unknown> | unknown,
      isUrgent = false,
    ): Promise<string | null> {
      const about = digestOf(JSON.stringify(what))
      post(about, false)
      const by = await wait(about, isUrgent)
      if (by !== null) return by
      await work()
      post(about, true)
      return null
    },
  }
}
