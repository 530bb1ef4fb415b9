import { AppError, isAppError } from '../contract/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Delivery } from './journal.ts'
import type { StoringState } from './protocol.ts'

export interface PendingDelivery extends Delivery {
  /** Of the signature header. The journal doesn't keep it: it could be replayed. */
  signature?: string | undefined
  /** Monotonic milliseconds. */
  arrivedMs: number
  /** Called once: true when durable, false when not stored. Must not throw. */
  settle(stored: boolean): void
}

export interface CommitQueueOptions {
  /** What a delivery is stored as. Asked once, however often the commit is tried. */
  split?(delivery: PendingDelivery): Delivery[]
  /** Commits all or none; throws an `AppError`. */
  append(deliveries: readonly Delivery[]): void
  clock: Clock
  /** Deliveries that waited this long for a busy database get 503. */
  storeDeadlineMs: number
  /** Most bytes of waiting bodies; more deliveries are not stored. */
  pendingBytes: number
  /** Most deliveries that wait for a busy database: each keeps a connection that other paths of the port share. */
  busyDeliveries: number
  /** Called when storing fails and when it works again. */
  onState(state: StoringState): void
  /** Called before the first commit after a delivery was not stored. May throw an `AppError`. */
  beforeRecovery(): void
}

export type CommitQueue = ReturnType<typeof createCommitQueue>

/** While another connection holds the lock. */
const busyRetryMs = 50

const codeOf = (state: StoringState) => (state.kind === 'storing' ? null : state.code)

/**
 * Group commit: everything that arrives in one turn of the event loop shares a commit. No waiting window:
 * under load, batches grow while the disk syncs (a 2 ms window measured 1.7× slower).
 */
export function createCommitQueue(options: CommitQueueOptions) {
  const { clock } = options
  let waiting: { delivery: PendingDelivery; parts: Delivery[] }[] = []
  let waitingBytes = 0
  let scheduled = false
  let retrying = false
  let hasRefused = false
  let state: StoringState = { kind: 'storing' }

  function setState(next: StoringState): void {
    if (codeOf(next) === codeOf(state)) return
    state = next
    options.onState(next)
  }

  function setFailed(error: AppError): void {
    setState({ kind: 'not-storing', code: error.code, data: error.data, sinceMs: clock.now() })
  }

  function settleFirst(count: number, stored: boolean): void {
    const settling = waiting
    waiting = count === settling.length ? [] : settling.slice(count)
    if (!stored) hasRefused = true
    for (let index = 0; index < count; index++) {
      const { delivery } = settling[index]!
      waitingBytes -= delivery.body.length
      delivery.settle(stored)
    }
  }

  function recover(): void {
    if (!hasRefused) return
    options.beforeRecovery()
    hasRefused = false
  }

  /** Returns the error, or undefined when all is stored. */
  function tryCommit(): AppError | undefined {
    try {
      recover()
      options.append(waiting.flatMap(({ parts }) => parts))
    } catch (error) {
      return isAppError(error)
        ? error
        : new AppError('STORAGE_FAILED', { detail: String(error) }, { cause: error })
    }
    settleFirst(waiting.length, true)
    setState({ kind: 'storing' })
    return undefined
  }

  function retryLater(): void {
    if (retrying) return
    retrying = true
    clock.after(busyRetryMs, () => {
      retrying = false
      flush()
    })
  }

  function flush(): void {
    scheduled = false
    if (waiting.length === 0) return
    const error = tryCommit()
    if (!error) return
    if (error.code !== 'STORAGE_BUSY') {
      setFailed(error)
      settleFirst(waiting.length, false)
      return
    }
    const expiredBeforeMs = clock.monotonic() - options.storeDeadlineMs
    let expired = 0
    while (expired < waiting.length && waiting[expired]!.delivery.arrivedMs <= expiredBeforeMs) expired++
    if (expired > 0) {
      setFailed(error)
      settleFirst(expired, false)
    }
    if (waiting.length > 0) retryLater()
  }

  return {
    /** Queues a delivery for the commit at the end of this turn of the event loop. */
    push(delivery: PendingDelivery): void {
      const isFull = retrying && waiting.length >= options.busyDeliveries
      if (isFull || waitingBytes + delivery.body.length > options.pendingBytes) {
        hasRefused = true
        delivery.settle(false)
        return
      }
      waitingBytes += delivery.body.length
      waiting.push({ delivery, parts: options.split?.(delivery) ?? [delivery] })
      if (scheduled || retrying) return
      scheduled = true
      setImmediate(flush)
    },
    /** Commits at once; settles with false what can't be stored. */
    drain(): void {
      if (waiting.length === 0) return
      const error = tryCommit()
      if (error) settleFirst(waiting.length, false)
    },
    /** Tests storing with `attempt` while nothing waits. */
    probe(attempt: () => void): void {
      if (waiting.length > 0) return
      try {
        recover()
        attempt()
        setState({ kind: 'storing' })
      } catch (error) {
        if (isAppError(error) && error.code !== 'STORAGE_BUSY') setFailed(error)
      }
    },
    state: () => state,
  }
}
