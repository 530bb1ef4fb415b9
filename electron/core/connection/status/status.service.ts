import type { ErrorView } from '../../../contract/define.ts'
import type { Notice, Status } from '../../../contract/connection/status.ts'
import type { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { beats, changes, type Pulse, slowed } from '../../../lib/pulse.ts'
import { viewOf } from '../../platform/rpc/errors.ts'

export type Notices = ReturnType<typeof createNotices>

/** The banners: of the app, and of single connections, which may have some with the same id. */
export function createNotices(changed: Pulse) {
  const notices = new Map<string, { notice: Notice; connectionId: string | undefined }>()
  const keyOf = (id: string, connectionId: string | undefined) => `${connectionId ?? ''} ${id}`
  return {
    /** The app's, and the connection's. */
    of: (shownId: string | undefined): Notice[] =>
      [...notices.values()]
        .filter(({ connectionId }) => connectionId === undefined || connectionId === shownId)
        .map(({ notice }) => notice),
    /**
     * Shows or replaces a banner by id, until it is dismissed or cleared. With a connection's id, only while that is
     * in front.
     */
    show(id: string, severity: Notice['severity'], error: AppError, connectionId?: string): void {
      notices.set(keyOf(id, connectionId), { notice: { id, severity, error: viewOf(error) }, connectionId })
      changed.fire()
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
      changed.fire()
    },
  }
}

/** At most 4/s during changes. Once a second, because the end of a wait and new events report no change. */
const gaps = { minGapMs: 250, maxGapMs: 1_000 }

export type StatusService = ReturnType<typeof createStatusService>

/**
 * The status of all parts, as a stream. `read` returns everything except the banners, for the named connection or the one in front; null
 * while the named one opens.
 */
export function createStatusService(parts: {
  read: (connectionId: string | undefined) => Omit<Status, 'notices' | 'asOf'> | null
  notices: Pick<Notices, 'of'>
  /** A part changed: may fire thousands of times a second. */
  changed: Pulse
  /** Another connection is in front: a window shows it only when the status names it. */
  switched: Pulse
  clock: Clock
}) {
  const { clock } = parts
  const snapshot = (wanted: string | undefined): Status | null => {
    const read = parts.read(wanted)
    return read && { ...read, notices: parts.notices.of(read.connection?.id), asOf: isoTime(clock.now()) }
  }
  // All streams of a connection share one snapshot per tick. A change or a new tick replaces it.
  const shared = new Map<string | undefined, { status: Status | null; atMs: number }>()
  const ticks = slowed(parts.changed, clock, gaps.minGapMs)
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
  parts.switched.subscribe(() => {
    shared.clear()
    switching.abort()
    switching = new AbortController()
  })
  return {
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
  }
}
