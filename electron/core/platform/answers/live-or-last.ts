import type { Freshness } from '../../../contract/define.ts'
import { type AppError, isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { viewOf } from '../rpc/errors.ts'
import type { AnswersRepository } from './answers.repository.ts'

/** Asks the service and stores the answer. Falls back to the stored one, with its age and the error. */
export type LiveOrLast = <T>(
  key: string,
  ask: () => Promise<T>,
  /** `patient`: no one waits. Uses the stored answer only after a failure; others don't share the request, which may have a lower priority. */
  options?: { patient: boolean },
) => Promise<{ value: T; freshness: Freshness }>

/** Longest wait for a live answer when one is stored, milliseconds. The request continues and is stored. */
const patienceMs = 1_500

type Outcome<T> =
  | { kind: 'live'; value: T; asOfMs: number }
  | { kind: 'failed'; error: unknown }
  | { kind: 'waiting' }

/**
 * `liveOrLast` over a connection's stored answers. Concurrent calls with the same key share the newest request.
 * Throws the error when nothing is stored. Values must survive JSON unchanged, as the domain types do.
 */
export function createLiveOrLast(answers: AnswersRepository, clock: Clock, log: Log): LiveOrLast {
  const running = new Map<string, { asking: Promise<Outcome<unknown>>; patient: boolean }>()

  /** A full disk must not lose a live answer. */
  function keep(key: string, value: unknown, asOfMs: number): void {
    try {
      answers.put(key, JSON.stringify(value), asOfMs)
    } catch (error) {
      log.warn('Could not cache an answer', { key, error })
    }
  }

  async function run<T>(key: string, ask: () => Promise<T>): Promise<Outcome<T>> {
    try {
      const value = await ask()
      const asOfMs = clock.now()
      keep(key, value, asOfMs)
      return { kind: 'live', value, asOfMs }
    } catch (error) {
      return { kind: 'failed', error }
    }
  }

  function share<T>(key: string, ask: () => Promise<T>, patient: boolean): Promise<Outcome<T>> {
    const existing = running.get(key)
    if (existing && (patient || !existing.patient)) return existing.asking as Promise<Outcome<T>>
    const asking = run(key, ask).finally(() => {
      if (running.get(key)?.asking === asking) running.delete(key)
    })
    running.set(key, { asking, patient })
    return asking
  }

  return async <T>(
    key: string,
    ask: () => Promise<T>,
    { patient }: { patient: boolean } = { patient: false },
  ) => {
    const asking = share(key, ask, patient)
    const kept = patient ? undefined : answers.get(key)
    let outcome = kept ? await patiently(asking, clock) : await asking
    // The stored answer was deleted meanwhile.
    if (outcome.kind === 'waiting' && !answers.get(key)) outcome = await asking
    if (outcome.kind === 'live') {
      return {
        value: outcome.value,
        freshness: { asOf: isoTime(outcome.asOfMs), source: 'live', error: null },
      }
    }
    const error: AppError | null = outcome.kind === 'waiting' ? null : asAppError(outcome.error)
    const last = answers.get(key)
    if (!last) throw (outcome as { error: unknown }).error
    return {
      value: JSON.parse(last.bodyJson) as T,
      freshness: {
        asOf: isoTime(last.asOfMs),
        source: 'cache',
        error: error && viewOf(error),
      },
    }
  }
}

function patiently<T>(asking: Promise<Outcome<T>>, clock: Clock): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const cancel = clock.after(patienceMs, () => resolve({ kind: 'waiting' }))
    void asking.then((outcome) => {
      cancel()
      resolve(outcome)
    })
  })
}

/** Other errors are bugs; a stored answer must not hide them. */
function asAppError(error: unknown): AppError {
  if (isAppError(error)) return error
  throw error
}
