import type { ErrorView } from '../../../contract/define.ts'
import type { Notice, Status } from '../../../contract/connection/status.ts'
import type { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { beats, changes, createPulse, slowed } from '../../../lib/pulse.ts'
import { viewOf } from '../../platform/rpc/errors.ts'

/** At most 4/s during changes. Once a second, because the end of a wait and new events report no change. */
const gaps = { minGapMs: 250, maxGapMs: 1_000 }

export type StatusService = ReturnType<typeof createStatusService>

/** The status of all parts, as a stream. `read` returns everything except the banners. */
export function createStatusService(read: () => Omit<Status, 'notices' | 'asOf'>, clock: Clock) {
  const pulse = createPulse()
  const notices = new Map<string, { notice: Notice; connectionId: string | undefined }>()
  /** Connections may have banners with the same id. */
  const keyOf = (id: string, connectionId: string | undefined) => `${connectionId ?? ''} ${id}`
  const snapshot = (): Status => {
    const parts = read()
    const isShown = ({ connectionId }: { connectionId: string | undefined }) =>
      connectionId === undefined || connectionId === parts.connection?.id
    return {
      ...parts,
      notices: [...notices.values()].filter(isShown).map(({ notice }) => notice),
      asOf: isoTime(clock.now()),
    }
  }
  // All streams share one snapshot per tick. A change or a new tick replaces it.
  let shared: { status: Status; atMs: number } | null = null
  const ticks = slowed(pulse, clock, gaps.minGapMs)
  ticks.subscribe(() => (shared = null))
  function sharedSnapshot(): Status {
    const nowMs = clock.monotonic()
    if (shared === null || nowMs - shared.atMs >= gaps.minGapMs) shared = { status: snapshot(), atMs: nowMs }
    return shared.status
  }
  let switching = new AbortController()
  return {
    /** Call when a part changed. Cheap: thousands of times a second is fine. */
    changed: () => pulse.fire(),
    /** Sends the status at once: a window shows the other connection only when the status names it. */
    switched(): void {
      shared = null
      switching.abort()
      switching = new AbortController()
    },
    /** Now, after changes, at once after a switch, and every five seconds, until `signal` aborts. */
    async *watch(signal: AbortSignal): AsyncGenerator<Status> {
      while (!signal.aborted) {
        let isFirst = true
        const turns = beats(ticks, clock, gaps, AbortSignal.any([signal, switching.signal]))
        yield* changes(turns, clock, () => {
          const status = isFirst ? snapshot() : sharedSnapshot()
          isFirst = false
          return status
        })
      }
    },
    /**
     * Shows or replaces a banner by id, until it is dismissed or cleared. With a connection's id, only while that is
     * in front.
     */
    notice(id: string, severity: Notice['severity'], error: AppError, connectionId?: string): void {
      const view: ErrorView = viewOf(error)
      notices.set(keyOf(id, connectionId), { notice: { id, severity, error: view }, connectionId })
      pulse.fire()
    },
    /** A connection's error banner, for when another one is in front. */
    errorOf(connectionId: string): ErrorView | null {
      const errors = [...notices.values()].filter(
        ({ notice, connectionId: of }) => of === connectionId && notice.severity === 'error',
      )
      return errors.at(-1)?.notice.error ?? null
    },
    /** Removes the app's banner with this id, and the connection's if given. */
    dismiss(id: string, connectionId?: string): void {
      notices.delete(keyOf(id, undefined))
      notices.delete(keyOf(id, connectionId))
      pulse.fire()
    },
  }
}
