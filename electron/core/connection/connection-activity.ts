import type { Connection, ConnectionActivity } from '../../contract/connection/connections.ts'
import type { BudgetStatus, Status } from '../../contract/connection/status.ts'
import type { ErrorView } from '../../contract/define.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import { failedOfSent } from '../../contract/words.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { beats, type Pulse } from '../../lib/pulse.ts'
import { viewOf } from '../platform/rpc/errors.ts'
import type { RateBudgetView } from '../service/rate-limit/rate-budget.ts'
import type { OpenConnection } from './open-connection.ts'
import type { OpenConnections } from './open-connections.ts'

/** At most once a second, and often enough that events per minute fall when nothing arrives. */
const gaps = { minGapMs: 1_000, maxGapMs: 5_000 }
/** Finding a gap reads all listening spans, so this is not read every second. */
const slowAgeMs = 5_000
const minuteMs = 60_000
const halfHourMinutes = 30

export function readSession({ credentials, signInProblem }: OpenConnection): Status['session'] {
  const { status, problem, refreshTokenEndsAt: endsAt } = credentials.state()
  if (signInProblem) return { state: 'signed-out', problem: viewOf(signInProblem), endsAt: null }
  if (status === 'expired')
    return { state: 'expired', problem: problem && viewOf(new AppError(problem)), endsAt: null }
  return { state: status === 'signed-out' ? 'signed-out' : 'signed-in', problem: null, endsAt }
}

/** Times instead of countdowns, which would change the status every second. */
export function readBudget(budget: RateBudgetView, clock: Pick<Clock, 'now'>): BudgetStatus {
  const { resetInMs, pausedForMs, windowKind: _, ...counts } = budget.snapshot()
  const at = (inMs: number) => (inMs > 0 ? isoTime(Math.ceil((clock.now() + inMs) / 1_000) * 1_000) : null)
  return { ...counts, resetsAt: at(resetInMs), pausedUntil: at(pausedForMs) }
}

const closed = {
  session: 'none' as const,
  listener: {
    state: 'stopped' as const,
    url: null,
    relay: null,
    refusedLastMinute: 0,
    lastDeliveryAt: null,
    silence: null,
  },
  eventsPerMinute: 0,
  lastHalfHour: null,
  unreadConversations: 0,
  openGap: null,
  alerts: 0,
  runningCampaigns: null,
  dncList: null,
  rateLimit: null,
  queuedRequests: 0,
}

/** What happens on each saved connection, as a stream. Does nothing while no page watches. */
export function createConnectionActivity(parts: {
  list: () => readonly Connection[]
  open: OpenConnections
  /** The path of a connection's listener; null before it was opened once. */
  pathOf: (connectionId: string) => string | null
  /** An error banner of the connection. */
  errorOf: (connectionId: string) => ErrorView | null
  changed: Pulse
  clock: Clock
}) {
  const { open, clock } = parts
  type Slow = Pick<ConnectionActivity, 'openGap' | 'lastHalfHour' | 'runningCampaigns' | 'dncList'>
  const slowOf = new WeakMap<OpenConnection, { atMs: number; key: string; slow: Slow }>()

  function openGap(one: OpenConnection): ConnectionActivity['openGap'] {
    try {
      const [newest] = one.features.events.gaps({ days: 1 }).gaps
      return newest?.to === null ? { from: newest.from, reason: newest.reason } : null
    } catch {
      // No journal: the listener says why.
      return null
    }
  }

  function lastHalfHour(one: OpenConnection): ConnectionActivity['lastHalfHour'] {
    const toMs = Math.ceil((clock.now() + 1) / minuteMs) * minuteMs
    const fromMs = toMs - halfHourMinutes * minuteMs
    const perMinute = new Array<number>(halfHourMinutes).fill(0)
    const arrived = one.features.events.repository.arrivals(fromMs, toMs, minuteMs)
    for (const { bucketMs, count } of arrived) perMinute[(bucketMs - fromMs) / minuteMs]! += count
    return { perMinute, ...failedOfSent(arrived), limit: one.features.campaigns.failureLimit() }
  }

  /** Values that cost more to read: again after five seconds, or when the listener changes. */
  function slowValues(one: OpenConnection): Slow {
    const key = one.features.listener.listening()
    const known = slowOf.get(one)
    const nowMs = clock.monotonic()
    if (known?.key === key && nowMs - known.atMs < slowAgeMs) return known.slow
    const slow = {
      openGap: openGap(one),
      lastHalfHour: lastHalfHour(one),
      runningCampaigns: one.features.campaigns.lastRunning(),
      dncList: one.features.dnc.listState(),
    }
    slowOf.set(one, { atMs: nowMs, key, slow })
    return slow
  }

  function eventsPerMinute(one: OpenConnection): number {
    const toMs = Math.ceil(clock.now() / 1_000) * 1_000
    return one.features.events.repository
      .arrivals(toMs - minuteMs, toMs, 1_000)
      .reduce((sum, { count }) => sum + count, 0)
  }

  const problemOf = (one: OpenConnection): ErrorView | null =>
    readSession(one).problem ??
    one.features.listener.status().problem ??
    parts.errorOf(one.connection().id) ??
    one.network.state().problem

  function ofOpen(one: OpenConnection) {
    const { features, client } = one
    const session = readSession(one)
    const listener = features.listener.status()
    const { limitPerMinute, usedByUs, usedByOthers, remaining } = client.budget.snapshot()
    const { queued, 'in-flight': inFlight } = features.outbox.drain().counts
    return {
      session: session.state,
      problem: problemOf(one),
      listener: {
        state: listener.state,
        url: listener.url,
        relay: listener.relay,
        refusedLastMinute: listener.refusedLastMinute,
        lastDeliveryAt: listener.lastDeliveryAt,
        silence: listener.silence,
      },
      eventsPerMinute: eventsPerMinute(one),
      unreadConversations: features.inbox.state().unread,
      ...slowValues(one),
      alerts: features.campaigns.alertRules.triggered(),
      rateLimit:
        one.network.state().reachable === true
          ? { limitPerMinute, used: usedByUs + usedByOthers, remaining }
          : null,
      queuedRequests: queued + inFlight,
    }
  }

  /** A connection whose database fails must not end the stream of the others. */
  function readOf(one: OpenConnection) {
    try {
      return ofOpen(one)
    } catch (error) {
      const problem = isAppError(error) ? error : new AppError('STORAGE_FAILED', { detail: String(error) })
      return { ...closed, problem: viewOf(problem) }
    }
  }

  function stateOf(id: string, one: OpenConnection | null): ConnectionActivity['state'] {
    if (open.isOpening(id)) return 'connecting'
    if (open.problemOf(id)) return 'failed'
    if (one) return readSession(one).state === 'signed-out' ? 'signed-out' : 'live'
    return open.isBackgroundOn(id) ? 'signed-out' : 'off'
  }

  function ofSaved(connection: Connection): ConnectionActivity {
    const { id } = connection
    const one = open.find(id)
    const now = one ? readOf(one) : { ...closed, problem: null }
    const problem = open.problemOf(id)
    return {
      ...now,
      connection,
      state: stateOf(id, one),
      problem: problem ? viewOf(problem) : now.problem,
      background: open.isBackgroundOn(id),
      listener: { ...now.listener, path: parts.pathOf(id) },
    }
  }

  return {
    /** Background connections that need attention. Cheap. */
    troubled(): Connection[] {
      const isTroubled = ({ id }: Connection) => {
        const one = open.find(id)
        try {
          if (one === null || open.problemOf(id) !== null) return open.problemOf(id) !== null
          return problemOf(one) !== null || (one.features.listener.status().silence?.since ?? null) !== null
        } catch {
          // A connection whose database fails must not end the stream of the others.
          return true
        }
      }
      return parts.list().filter((one) => !open.isFront(one.id) && isTroubled(one))
    },
    async *watch(signal: AbortSignal): AsyncGenerator<{ connections: ConnectionActivity[]; asOf: string }> {
      for await (const _beat of beats(parts.changed, clock, gaps, signal))
        yield { connections: parts.list().map(ofSaved), asOf: isoTime(clock.now()) }
    },
  }
}
