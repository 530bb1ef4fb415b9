import type { ErrorView } from '../../../contract/define.ts'
import type { Notice, Status } from '../../../contract/status.ts'
import type { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { beats, createPulse, slowed } from '../../../lib/pulse.ts'
import { viewOf } from '../../platform/rpc/errors.ts'

/** At most four a second while things change; once a second while nothing does, because ages and waits run on. */
const gaps = { minGapMs: 250, maxGapMs: 1_000 }

/** Gathers the status of all parts and streams it. */
export interface StatusService {
  /** Says that some part changed. Cheap: may be called thousands of times a second. */
  changed(): void
  snapshot(): Status
  /** The status at once, then as it changes, until `signal` aborts. */
  watch(signal: AbortSignal): AsyncGenerator<Status>
  /**
   * Shows a notice until it is dismissed or cleared; the same id again replaces it. With a connection's id it is shown while
   * that connection is open.
   */
  notice(id: string, severity: Notice['severity'], error: AppError, connectionId?: string): void
  dismiss(id: string): void
}

/** `read` gives the status of all parts without the notices, which are kept here. */
export function createStatusService(
  read: () => Omit<Status, 'notices' | 'asOf'>,
  clock: Clock,
): StatusService {
  const pulse = createPulse()
  const notices = new Map<string, { notice: Notice; connectionId: string | undefined }>()
  const snapshot = (): Status => {
    const parts = read()
    const isShown = ({ connectionId }: { connectionId: string | undefined }) =>
      connectionId === undefined || connectionId === parts.connection?.id
    return {
      ...parts,
      notices: [...notices.values()].filter(isShown).map(({ notice }) => notice),
      asOf: new Date(clock.now()).toISOString(),
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
  return {
    changed: () => pulse.fire(),
    snapshot,
    async *watch(signal) {
      let isFirst = true
      for await (const _beat of beats(ticks, clock, gaps, signal)) {
        yield isFirst ? snapshot() : sharedSnapshot()
        isFirst = false
      }
    },
    notice(id, severity, error, connectionId) {
      const view: ErrorView = viewOf(error)
      notices.set(id, { notice: { id, severity, error: view }, connectionId })
      pulse.fire()
    },
    dismiss(id) {
      notices.delete(id)
      pulse.fire()
    },
  }
}
