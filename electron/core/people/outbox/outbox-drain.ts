import type { InboundProblem, OutboxDrain, OutboxOperation } from '../../../contract/people/outbox.ts'
import { AppError, isRefusal } from '../../../contract/errors.ts'
import { toAppError } from '../../platform/rpc/errors.ts'
import { isPageError } from '../../service/credentials/credentials.ts'
import type { Operation } from './operations.ts'
import { openItems } from './outbox-batches.ts'
import type { OutboxRepository } from './outbox.repository.ts'
import { bitsOf, type StoredItem } from './stored-item.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Requests in flight or waiting for the rate limit: enough for 200 a minute with 4 s per answer. */
const slots = 16
/** Wait before trying again after a failure, doubled up to the maximum. */
const pauseMs = 2_000
const pauseMaxMs = 60_000
/** How long the check after an unconfirmed request may take before the outbox says that it waits. */
const checkMs = 2 * pauseMs
/** After a clear answer, requests run in parallel for this long. Otherwise one goes alone. */
const provenForMs = 10_000
/** A DELETE that failed this often needs a person. The client already retries each attempt. */
const attemptsMax = 3

/** After this many 403s in a row for one operation, the permission is missing. */
const forbiddenMax = 3
/** After this many rejections in a row with the same text, the cause is not one recipient: a text that names a number differs each time. */
const sameMax = 5

/** How long a shutdown waits for requests in flight. */
const stopWaitMs = 3_000

/** Why nothing is sent, apart from the operator's pause. */
interface Halt {
  kind: 'offline' | 'rate-limited' | 'signed-out' | 'stopped'
  problem: AppError
  /** Until then it is only a check after one unconfirmed request, and counts as sending. Monotonic. */
  checksUntilMs?: number
  /** The rejection that came too often. */
  refusal?: { operation: OutboxOperation; key: string }
  /** Cancels the timer that tries again, if there is one. */
  cancel: () => void
}

/** A repeatable request that was left unanswered is queued again and shows its problem. */
export const isInDoubt = ({ state, problem }: StoredItem): boolean => state === 'queued' && problem !== null

/** A rejection that is about all requests of an operation once it came `most` times in a row. Null for others. */
function sharedRefusal({ code, data }: AppError): { key: string; most: number } | null {
  if (code === 'FORBIDDEN') return { key: code, most: forbiddenMax }
  const { status } = data
  if (code !== 'SERVICE_REJECTED' || (status !== 400 && status !== 422)) return null
  return { key: `${status} ${JSON.stringify(data['serviceText'])}`, most: sameMax }
}

/** While it waited, the item was cancelled or put back into its undo window, its hours ended, it must wait, or its contact is being edited. */
class Withdrawn extends Error {}

/** Why messages wait for a problem with inbound messages; null for none. */
export const inboundWait = (key: InboundProblem | undefined): AppError | null =>
  key ? new AppError('SENDS_WAIT_FOR_INBOUND', { state: { key } }) : null

/**
 * Sends queued items, oldest first, in the bulk lane. An item is stored as `in-flight` before its request
 * leaves; the answer decides its end. Unconfirmed requests are never retried here.
 */
export function createDrain(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    repository: OutboxRepository
    operations: Record<OutboxOperation, Operation>
    /** Why an item must not be sent to its recipient now; null if it may. */
    blockedBecause: (item: StoredItem) => AppError | null
    /** Whether the item waits: an edit of its contact is being stored, or the outbox is starting. */
    mustWait: (item: StoredItem) => boolean
    /** Why messages wait that need a DNC check; null while they may leave. */
    dncProblem: () => AppError | null
    /** By which messages leave: the service's word on a number counts only for those who asked. Null while signed out. */
    identity: () => string | null
    /** Why messages wait that were not chosen to leave despite it. */
    inboundProblems: () => readonly InboundProblem[]
    /** Whether the item's recipient has other hours now. Such items are reported and stay queued. */
    isOutsideHours: (item: StoredItem) => boolean
    onOutsideHours: () => void
    pausedForMs: () => number
    onChange: () => void
    /** A read of the service, which changes nothing. */
    probe: () => Promise<unknown>
    /** The service accepted an item. Must not throw. */
    onDone: (item: StoredItem) => void
  },
) {
  const { repository, operations, clock, log } = parts
  const active = new Map<
    number,
    { item: StoredItem; controller: AbortController; left: boolean; done: Promise<void> }
  >()
  let halt: Halt | null = null
  /** Outcomes the database could not store yet. */
  const unsettled: (() => void)[] = []
  let stopped = false
  /** Why messages wait. Looked at again soon. */
  let wait: { problem: AppError; cancel: () => void } | null = null
  let pauses = 0
  /** The same rejection in a row. */
  const refusals = new Map<OutboxOperation, { key: string; count: number }>()
  /** Rejections after which an operator went on, until an item is done. */
  const accepted = new Map<OutboxOperation, string>()
  /** When the service last answered clearly, on the monotonic clock. */
  let answeredMs = -Infinity

  function setHalt(next: Halt | null): void {
    halt?.cancel()
    halt = next
    parts.onChange()
  }

  /** Stops until a person signs in or resumes. */
  function stopFor(kind: 'signed-out' | 'stopped', problem: AppError, refusal?: Halt['refusal']): void {
    setHalt({ kind, problem, ...(refusal && { refusal }), cancel() {} })
    holdBack()
  }

  /** Stops for a while. */
  function pauseFor(kind: 'offline' | 'rate-limited' | 'stopped', problem: AppError, then = retry): void {
    answeredMs = -Infinity
    if (halt || stopped) return
    const checksUntilMs = then !== retry && pauses === 0 ? clock.monotonic() + checkMs : -Infinity
    const waitMs = Math.min(pauseMaxMs, pauseMs * 2 ** pauses++)
    setHalt({ kind, problem, checksUntilMs, cancel: clock.after(waitMs, then) })
    holdBack()
  }

  /** After an unclear outcome the service must answer a read before another request leaves, which would become unconfirmed, too. */
  function pauseUntilRead(problem: AppError): void {
    pauseFor('offline', problem, () => void readFirst(problem))
  }
  async function readFirst(problem: AppError): Promise<void> {
    const error = await parts.probe().then(
      () => null,
      (thrown: unknown) => toAppError(thrown, log),
    )
    if (stopped || halt?.problem !== problem) return
    if (error === null || error.scope === 'session' || isRefusal(error)) return retry()
    halt = null
    pauseUntilRead(problem)
  }

  function retry(): void {
    setHalt(null)
    for (const settle of unsettled.splice(0)) store(settle)
    wake()
  }

  /** Stores an outcome; retries later if the database fails. */
  function store(settle: () => void): void {
    try {
      settle()
    } catch (error) {
      unsettled.push(settle)
      pauseFor('stopped', toAppError(error, log))
    }
  }

  function holdBack(which: (item: StoredItem) => boolean = () => true): void {
    for (const { item, controller, left } of active.values())
      if (!left && which(item)) controller.abort(new Error('held back'))
  }

  function end(
    item: StoredItem,
    state: 'done' | 'rejected' | 'unknown',
    change: Partial<StoredItem> = {},
  ): void {
    repository.transaction(() => {
      repository.update(item.id, { state, endedMs: clock.now(), problem: null, ...change })
      settleFollowers(item.id)
    })
  }

  const isMade = ({ operation, state }: StoredItem) => operation === 'create-contact' && state === 'done'

  /** Releases the items that waited for this one, or cancels those that have nothing left to do. */
  function settleFollowers(id: number): void {
    const first = repository.get(id)
    if (!first) return
    for (const follower of repository.followers(id)) {
      // The contact of a cancelled follower depends on this item, too.
      if (follower.state !== 'blocked') repository.update(follower.id, {})
      // The service changed the record instead of making another.
      else if (follower.serviceId !== null && follower.serviceId === first.serviceId && isMade(first))
        repository.update(follower.id, { state: 'cancelled', endedMs: clock.now() })
      else if (first.state === 'done')
        repository.update(follower.id, {
          state: repository.readyState(follower.batchId, clock.now()),
          ...(follower.operation === 'delete-contact' && follower.serviceId === null
            ? { serviceId: first.serviceId }
            : {}),
        })
      else if (first.state === 'rejected' || first.state === 'cancelled')
        repository.update(follower.id, { state: 'cancelled', endedMs: clock.now(), problem: first.problem })
    }
  }

  /** Returns an item to the queue, or cancels it if its batch was undone. `inDoubt`: an attempt may have been carried out. */
  const requeue = (item: StoredItem, inDoubt: boolean) => {
    const now = repository.get(item.id)
    if (now?.state !== 'in-flight') return
    const problem = inDoubt ? { code: 'DELETION_REPEATED' as const, data: {} } : null
    if (isUndone(item))
      return repository.update(item.id, { state: 'cancelled', sentMs: null, endedMs: clock.now() })
    repository.update(item.id, { state: 'queued', sentMs: null, problem })
  }

  /** Counts a refusal that all requests of this operation may get. Returns its key once it came too often to go on. */
  function repeatedRefusal(operation: OutboxOperation, error: AppError): string | null {
    const shared = sharedRefusal(error)
    if (shared === null) {
      if (isRefusal(error)) refusals.delete(operation)
      return null
    }
    const known = refusals.get(operation)
    const count = shared.key === known?.key ? known.count + 1 : 1
    refusals.set(operation, { key: shared.key, count })
    return count >= shared.most && accepted.get(operation) !== shared.key ? shared.key : null
  }

  function failed(
    item: StoredItem,
    error: AppError,
    attempt: { attempts: number; sentMs: number | null; left: boolean; inDoubt: boolean },
  ): void {
    const { attempts, sentMs, left, inDoubt } = attempt
    const { code, data, scope } = error
    const problem = { code, data }
    const { operation } = item
    const isDelete = operation === 'delete-contact'
    const again = () => requeue(item, inDoubt)
    const repeated = repeatedRefusal(operation, error)
    const isSetAside = code === 'FORBIDDEN' && !isPageError(error) && repeated === null
    if (left && operations[operation].once) {
      end(item, 'unknown', { problem })
      pauseUntilRead(error)
    } else if ((scope === 'session' && !isSetAside) || repeated !== null) {
      again()
      const refusal = repeated !== null && code !== 'FORBIDDEN' ? { operation, key: repeated } : undefined
      stopFor(code === 'FORBIDDEN' || repeated !== null ? 'stopped' : 'signed-out', error, refusal)
    } else if (scope === 'network') {
      again()
      pauseFor(code === 'RATE_LIMITED' ? 'rate-limited' : 'offline', error)
    } else if (scope === 'storage') {
      again()
      pauseFor('stopped', error)
    }
    // Already gone, which is the goal.
    else if (isDelete && code === 'SERVICE_NOT_FOUND') end(item, 'done', { problem, sentMs })
    else if (isDelete && code !== 'SERVICE_REJECTED' && left && attempts < attemptsMax) again()
    else if (isDelete && inDoubt) end(item, 'unknown', { problem: { code: 'DELETION_UNKNOWN', data: {} } })
    else end(item, 'rejected', { problem, sentMs })
  }

  /** A clear answer ends any doubt about the service. */
  function answered(): void {
    answeredMs = clock.monotonic()
    pauses = 0
  }

  async function send(item: StoredItem, one: { controller: AbortController; left: boolean }): Promise<void> {
    const operation = operations[item.operation]
    let { attempts } = item
    let sentMs: number | null = null
    // An unanswered attempt may have been carried out, whether or not later ones fail.
    const wasInDoubt = isInDoubt(item)
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
          // It went back into its undo window just as its turn came.
          if (!isItsTurn || one.controller.signal.aborted) throw new Withdrawn()
          if (mustWait(item) || parts.isOutsideHours(item) || lacksChoice(item)) throw new Withdrawn()
          // The number may have been blocked while the item waited.
          const blocked = parts.blockedBecause(item)
          if (blocked) throw blocked
          sentMs = clock.now()
          repository.update(item.id, { state: 'in-flight', sentMs, attempts: ++attempts })
          one.left = true
          parts.onChange()
        },
        onNotDone() {
          one.left = false
          requeue(item, wasInDoubt)
          parts.onChange()
        },
      })
      answered()
      refusals.delete(item.operation)
      accepted.delete(item.operation)
      store(() => end(item, 'done', { serviceId, serviceStatus, answer }))
      parts.onDone({ ...item, serviceId })
    } catch (thrown) {
      if (thrown instanceof Withdrawn) return
      const { left } = one
      if (one.controller.signal.aborted && !left) return store(() => requeue(item, inDoubt()))
      const error = toAppError(thrown, log)
      if (sentMs !== null && isRefusal(error)) answered()
      store(() => failed(item, error, { attempts, sentMs, left, inDoubt: inDoubt() }))
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

  /** Deletions are repeated even then: an earlier attempt may have been carried out. */
  const isUndone = ({ operation, batchId }: StoredItem) =>
    operations[operation].once && repository.batch(batchId)?.isUndone === true

  const mustWait = (item: StoredItem) => isUndone(item) || parts.mustWait(item)
  const asked = () => ({ nowMs: clock.now(), identity: parts.identity() })
  function isClear({ clearUntilMs, clearBy }: StoredItem): boolean {
    const { nowMs, identity } = asked()
    return clearUntilMs > nowMs && clearBy === (identity ?? clearBy)
  }
  const lacksChoice = (item: StoredItem) =>
    item.operation === 'send-ott' &&
    ((!item.unchecked && !isClear(item) && parts.dncProblem() !== null) ||
      (bitsOf(parts.inboundProblems()) & ~item.withoutInbound) !== 0)

  /** The first problem that lets messages wait, and what those that may leave need. Asked only for messages: it syncs the DNC list. */
  function findWaits(): { problem: AppError | null; needsCheck: boolean; inbound: number } {
    const unchecked = repository.needsCheck(asked()) ? parts.dncProblem() : null
    const problems = parts.inboundProblems()
    const key = problems.find(repository.needsInbound)
    return {
      problem: unchecked ?? inboundWait(key),
      needsCheck: unchecked !== null,
      inbound: key ? bitsOf(problems) : 0,
    }
  }

  /** Starts as many requests as may run together. */
  function fill(): void {
    wait?.cancel()
    wait = null
    if (repository.paused()) return
    const { problem, needsCheck, inbound } = findWaits()
    if (problem) {
      wait = { problem, cancel: clock.after(pauseMs, wake) }
      // Their turn in the rate limit may be seconds away.
      holdBack(lacksChoice)
    }
    // After trouble, or without a recent answer, one request goes alone.
    const isProven = pauses === 0 && clock.monotonic() - answeredMs < provenForMs
    const free = (isProven ? slots : 1) - active.size
    if (free <= 0) return
    const most = slots + active.size
    const queued = (
      problem
        ? repository.queuedWithout(needsCheck, inbound, asked(), most)
        : repository.inState('queued', most)
    ).filter((item) => !active.has(item.id) && !mustWait(item))
    const within = queued.filter((item) => !parts.isOutsideHours(item))
    // What waits for a problem may wait for its hours, too, which is what the operator then reads.
    const seen = problem ? repository.inState('queued', most) : queued
    if (seen.some(parts.isOutsideHours)) parts.onOutsideHours()
    const next = within[0]?.operation
    const refusal = next && refusals.get(next)?.key
    // The next rejection may be the last one in a row.
    const isAlone = refusal !== undefined && accepted.get(next!) !== refusal
    for (const item of within.slice(0, isAlone ? Math.max(0, 1 - active.size) : free)) {
      const one = { item, controller: new AbortController(), left: false, done: Promise.resolve() }
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
    // The last chance to store these outcomes. The others are found in flight at the next start.
    if (stopped) for (const settle of unsettled.splice(0)) store(settle)
  }

  return {
    /** Looks for work. Cheap; call it whenever something may be ready to send. */
    wake,
    /** Looks again whether messages must wait. */
    recheck(): void {
      if (wait || active.size > 0) wake()
    },
    /** Puts requests that have not left back in the queue. */
    holdBack: () => holdBack(),
    /** Clears the halt and tries again, as an operator chose. A rejection that stopped it no longer does. */
    resume(): void {
      if (halt?.refusal) accepted.set(halt.refusal.operation, halt.refusal.key)
      retry()
    },
    /** The service answers again. After an unconfirmed request the pause stays, so that no more become unconfirmed. */
    reached(): void {
      if (halt?.kind === 'offline' && halt.problem.acted === 'no') retry()
    },
    state(): { state: OutboxDrain['state']; problem: AppError | null } {
      if (repository.paused()) return { state: 'paused', problem: null }
      if (halt && (halt.checksUntilMs ?? -Infinity) > clock.monotonic())
        return { state: openItems(repository.counts()) > 0 ? 'sending' : 'idle', problem: null }
      if (halt) return { state: halt.kind, problem: halt.problem }
      if (active.size === 0)
        return wait ? { state: 'waiting', problem: wait.problem } : { state: 'idle', problem: null }
      return { state: parts.pausedForMs() > 0 ? 'rate-limited' : 'sending', problem: null }
    },
    /** Resolves when nothing is in flight. Call after `stop` and the end of the client. */
    settled,
    /** Sends nothing more, and waits briefly for requests in flight. */
    async stop(): Promise<void> {
      stopped = true
      halt?.cancel()
      wait?.cancel()
      holdBack()
      await Promise.race([settled(), clock.sleep(stopWaitMs)])
    },
  }
}
