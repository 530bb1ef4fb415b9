import type { OutboxDrain } from '../../../contract/outbox.ts'
import type { AppError, ErrorCode } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { toAppError } from '../../platform/rpc/errors.ts'
import type { Operation } from './operations.ts'
import type { OutboxRepository, StoredItem } from './outbox.repository.ts'
import type { OutboxOperation } from '../../../contract/outbox.ts'

/** Requests that wait for the budget or are under way: enough to use 200 a minute where an answer takes 4 s. */
const slots = 16
/** What stopped the sending for a while is tried again after this long, doubled up to the maximum. */
const pauseMs = 2_000
const pauseMaxMs = 60_000
/** After a clear answer, requests run in parallel for this long. Otherwise one goes alone. */
const provenForMs = 10_000
/** A DELETE that failed at the service so often is left for a person. Each try is already repeated by the client. */
const attemptsMax = 3

/** At the end of the console, what is on its way gets so long to be answered. */
const farewellMs = 3_000

/** Why nothing is sent, beside the operator's pause. */
interface Halt {
  kind: 'offline' | 'signed-out' | 'stopped'
  problem: AppError
  /** Ends the wait after which it is tried again by itself, where it is. */
  cancel: () => void
}

const signInCodes: ReadonlySet<ErrorCode> = new Set(['SESSION_EXPIRED', 'SIGNED_OUT', 'API_KEY_REFUSED'])
/** The request did not leave, or its answer came from something in between: it is tried again by itself. */
const networkCodes: ReadonlySet<ErrorCode> = new Set([
  'SERVICE_UNREACHABLE',
  'SERVICE_TIMEOUT',
  'SERVICE_TLS',
  'PROXY_UNREACHABLE',
  'PROXY_REFUSED',
  'PROXY_SIGN_IN',
  'NOT_THE_SERVICE',
  'SERVICE_REDIRECTED',
])

/** Nothing could be written down: that is put right here, and is no word of the service. */
const isStorage = (code: ErrorCode) => code === 'DISK_FULL' || code.startsWith('STORAGE_')
/** The sign-in could not be renewed: nothing is said of the item that waited for it. */
const isOfSignIn = ({ data }: AppError) =>
  typeof data.call === 'string' && data.call.startsWith('POST /auth/')

/** What may be done twice goes again without a word from the service, and says so while it waits. */
export const isInDoubt = ({ state, problem }: StoredItem): boolean => state === 'queued' && problem !== null

/** It was taken back, or held back, while it waited for its turn. */
class TakenBack extends Error {}

export interface Drain {
  /** Looks for work. Cheap; to be called after anything was queued or might go again. */
  wake(): void
  state(): { state: OutboxDrain['state']; problem: AppError | null }
  /** Lets nothing more leave, and waits a little for what is on its way. */
  stop(): Promise<void>
  /** Resolves when nothing is on its way; after `stop` and the end of the client. */
  settled(): Promise<void>
  /** Takes back what has not left yet: after a pause. */
  holdBack(): void
  /** Forgets why it stopped and tries again. */
  retry(): void
}

/**
 * Sends queued items, oldest first, through the bulk lane. An item is `in-flight` in the database before its request leaves; what
 * comes back decides its end. Nothing whose outcome is not known is ever sent again from here.
 */
export function createDrain(parts: {
  repository: OutboxRepository
  operations: Record<OutboxOperation, Operation>
  /** Why a number must not be written to now, null when it may. */
  blockedBecause: (phone: string) => AppError | null
  clock: Clock
  log: Log
  pausedForMs: () => number
  onChange: () => void
}): Drain {
  const { repository, operations, clock, log } = parts
  const active = new Map<number, { controller: AbortController; left: boolean; done: Promise<void> }>()
  let halt: Halt | null = null
  /** Outcomes that the database did not take. */
  const unsettled: (() => void)[] = []
  let stopped = false
  let pauses = 0
  /** When the service last answered clearly, on the monotonic clock. */
  let answeredMs = -Infinity

  const nowMs = () => clock.now()

  function setHalt(next: Halt | null): void {
    halt?.cancel()
    halt = next
    parts.onChange()
  }

  /** Stops until a person signs in or says to try again. */
  function stopFor(kind: 'signed-out' | 'stopped', problem: AppError): void {
    setHalt({ kind, problem, cancel() {} })
    holdBack()
  }

  /** Stops for a while. */
  function pauseFor(kind: 'offline' | 'stopped', problem: AppError): void {
    answeredMs = -Infinity
    if (halt || stopped) return
    const waitMs = Math.min(pauseMaxMs, pauseMs * 2 ** pauses++)
    setHalt({ kind, problem, cancel: clock.after(waitMs, retry) })
    holdBack()
  }

  function retry(): void {
    setHalt(null)
    for (const settle of unsettled.splice(0)) keep(settle)
    wake()
  }

  /** Writes an outcome down; where the database does not take it, later. */
  function keep(settle: () => void): void {
    try {
      settle()
    } catch (error) {
      unsettled.push(settle)
      pauseFor('stopped', toAppError(error, log))
    }
  }

  /** What has not left goes back to the queue. */
  function holdBack(): void {
    for (const { controller, left } of active.values()) if (!left) controller.abort(new Error('held back'))
  }

  function end(
    item: StoredItem,
    state: 'done' | 'rejected' | 'unknown',
    change: Partial<StoredItem> = {},
  ): void {
    repository.transaction(() => {
      repository.update(item.id, { state, endedMs: nowMs(), problem: null, ...change })
      settleFollowers(item.id)
    })
  }

  /** Items that waited for this one: they go, with its id, when their own grace time is over, or have nothing left to do. */
  function settleFollowers(id: number): void {
    const first = repository.get(id)
    if (!first) return
    for (const follower of repository.followers(id)) {
      // Where the contact of one that was taken back stands hangs on the first one, too.
      if (follower.state !== 'blocked') repository.update(follower.id, {})
      else if (first.state === 'done')
        repository.update(follower.id, {
          state: repository.isHeld(follower.batchId) ? 'held-back' : 'queued',
          ...(follower.operation === 'delete-contact' && follower.serviceId === null
            ? { serviceId: first.serviceId }
            : {}),
        })
      else if (first.state === 'rejected' || first.state === 'cancelled')
        repository.update(follower.id, { state: 'cancelled', endedMs: nowMs(), problem: first.problem })
    }
  }

  /** Back to the queue; `inDoubt` when a try may have been carried out. */
  const requeue = (item: StoredItem, inDoubt: boolean) => {
    const now = repository.get(item.id)
    if (now?.state !== 'in-flight') return
    const problem = inDoubt ? { code: 'DELETION_REPEATED' as const, data: {} } : null
    repository.update(item.id, { state: 'queued', sentMs: null, problem })
  }

  function failed(
    item: StoredItem,
    error: AppError,
    { attempts, left, inDoubt }: { attempts: number; left: boolean; inDoubt: boolean },
  ): void {
    const { code, data } = error
    const problem = { code, data }
    const isDelete = item.operation === 'delete-contact'
    const again = () => requeue(item, inDoubt)
    // Our own failure after the request left says nothing of what the service did.
    const isUnknown = code === 'OUTCOME_UNKNOWN' || (code === 'INTERNAL' && left && !isDelete)
    if (isUnknown) {
      end(item, 'unknown', { problem })
      // The service may be down: pause before more requests become unconfirmed.
      pauseFor('offline', error)
    } else if (signInCodes.has(code) || code === 'FORBIDDEN') {
      again()
      stopFor(code === 'FORBIDDEN' ? 'stopped' : 'signed-out', error)
    } else if (networkCodes.has(code) || data.status === 401 || isOfSignIn(error)) {
      again()
      pauseFor('offline', error)
    } else if (isStorage(code)) {
      again()
      pauseFor('stopped', error)
    } else if (code === 'RATE_LIMITED') again()
    // It is not there any more, which is what was wanted.
    else if (isDelete && code === 'SERVICE_NOT_FOUND') end(item, 'done', { problem })
    else if (isDelete && code !== 'SERVICE_REJECTED' && left && attempts < attemptsMax) again()
    else if (isDelete && inDoubt) end(item, 'unknown', { problem: { code: 'DELETION_UNKNOWN', data: {} } })
    else end(item, 'rejected', { problem })
  }

  /** The service spoke plainly: what was in doubt before is over. */
  function answered(): void {
    answeredMs = clock.monotonic()
    pauses = 0
  }

  async function send(item: StoredItem, one: { controller: AbortController; left: boolean }): Promise<void> {
    const operation = operations[item.operation]
    let attempts = item.attempts
    // A try that left and was not answered plainly may have been carried out, whatever comes of those after it.
    let wasInDoubt = isInDoubt(item)
    const inDoubt = () => wasInDoubt || (one.left && !operation.once)
    try {
      const {
        serviceId,
        serviceStatus = null,
        answer = null,
      } = await operation.send(item, {
        lane: 'bulk',
        signal: one.controller.signal,
        onSend() {
          const { state } = repository.get(item.id) ?? {}
          const isItsTurn = state === 'queued' || (state === 'in-flight' && one.left)
          // Held back in the very moment in which its place in the budget came.
          if (!isItsTurn || one.controller.signal.aborted) throw new TakenBack()
          // The number may have come onto the list while the item waited.
          const blocked = operation.gated ? parts.blockedBecause(item.phone) : null
          if (blocked) throw blocked
          wasInDoubt = inDoubt()
          repository.update(item.id, { state: 'in-flight', sentMs: nowMs(), attempts: ++attempts })
          one.left = true
          parts.onChange()
        },
        onNotDone() {
          one.left = false
          requeue(item, inDoubt())
          parts.onChange()
        },
      })
      answered()
      keep(() => end(item, 'done', { serviceId, serviceStatus, answer }))
    } catch (thrown) {
      if (thrown instanceof TakenBack) return
      const { left } = one
      if (one.controller.signal.aborted && !left) return keep(() => requeue(item, inDoubt()))
      const error = toAppError(thrown, log)
      const isRefused = error.code === 'SERVICE_REJECTED' && error.data.status !== 401
      if (isRefused) answered()
      const isPlain = isRefused || error.code === 'FORBIDDEN'
      keep(() => failed(item, error, { attempts, left, inDoubt: isPlain ? wasInDoubt : inDoubt() }))
    }
  }

  function wake(): void {
    if (stopped || halt) return
    try {
      fill()
    } catch (error) {
      pauseFor('stopped', toAppError(error, log))
    }
    parts.onChange()
  }

  /** Begins as many as may be under way together. */
  function fill(): void {
    if (repository.paused()) return
    // After trouble, or without a recent answer, one request goes alone.
    const isProven = pauses === 0 && clock.monotonic() - answeredMs < provenForMs
    const free = (isProven ? slots : 1) - active.size
    if (free <= 0) return
    const queued = repository.nextQueued(slots + active.size).filter(({ id }) => !active.has(id))
    for (const item of queued.slice(0, free)) {
      const one = { controller: new AbortController(), left: false, done: Promise.resolve() }
      active.set(item.id, one)
      one.done = send(item, one).finally(() => {
        active.delete(item.id)
        parts.onChange()
        wake()
      })
    }
  }

  const settled = async () => {
    await Promise.all([...active.values()].map(({ done }) => done))
    // The last time that they can be written down. What cannot be is found in flight at the next start.
    if (stopped) for (const settle of unsettled.splice(0)) keep(settle)
  }

  return {
    wake,
    holdBack,
    retry,
    state() {
      if (repository.paused()) return { state: 'paused', problem: null }
      if (halt) return { state: halt.kind, problem: halt.problem }
      if (active.size === 0) return { state: 'idle', problem: null }
      return { state: parts.pausedForMs() > 0 ? 'rate-limited' : 'sending', problem: null }
    },
    settled,
    async stop() {
      stopped = true
      halt?.cancel()
      holdBack()
      await Promise.race([settled(), clock.sleep(farewellMs)])
    },
  }
}
