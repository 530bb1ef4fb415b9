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

/**
 * The status of all parts, as a stream. `read` returns everything except the banners, for the named connection or the one in front; null
 * while the named one opens.
 */
export function createStatusService(
  read: (connectionId: string | undefined) => Omit<Status, 'notices' | 'asOf'> | null,
  clock: Clock,
) {
  const pulse = createPulse()
  const notices = new Map<string, { notice: Notice; connectionId: string | undefined }>()
  /** Connections may have banners with the same id. */
  const keyOf = (id: string, connectionId: string | undefined) => `${connectionId ?? ''} ${id}`
  const snapshot = (wanted: string | undefined): Status | null => {
    const parts = read(wanted)
    if (parts === null) return null
    const isShown = ({ connectionId }: { connectionId: string | undefined }) =>
      connectionId === undefined || connectionId === parts.connection?.id
    return {
      ...parts,
      notices: [...notices.values()].filter(isShown).map(({ notice }) => notice),
      asOf: isoTime(clock.now()),
    }
  }
  // All streams of a connection share one snapshot per tick. A change or a new tick replaces it.
  const shared = new Map<string | undefined, { status: Status | null; atMs: number }>()
  const ticks = slowed(pulse, clock, gaps.minGapMs)
  ticks.subscribe(() => shared.clear())
  function sharedSnapshot(wanted: string | undefined): Status | null {
    const nowMs = clock.monotonic()
    const known = shared.get(wanted)
    if (known && nowMs - known.atMs < gaps.minGapMs) return known.status
    const status = snapshot(wanted)
    shared.set(wanted, { status, atMs: nowMs })
    return status
  }
  let switching = new AbortController()
  return {
    /** Call when a part changed. Cheap: thousands of times a second is fine. */
    changed: () => pulse.fire(),
    /** Sends the status at once: a window shows the other connection only when the status names it. */
    switched(): void {
      shared.clear()
      switching.abort()
      switching = new AbortController()
    },
    /** Now, after changes, at once after a switch, and every five seconds, until `signal` aborts. */
    async *watch(signal: AbortSignal, connectionId?: string): AsyncGenerator<Status> {
      while (!signal.aborted) {
        let isFirst = true
        const turns = beats(ticks, clock, gaps, AbortSignal.any([signal, switching.signal]))
        const statuses = changes(turns, clock, () => {
          const status = isFirst ? snapshot(connectionId) : sharedSnapshot(connectionId)
          isFirst = false
          return status
        })
        for await (const status of statuses) if (status) yield status
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
