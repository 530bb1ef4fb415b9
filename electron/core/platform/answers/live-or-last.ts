import type { Freshness } from '../../../contract/define.ts'
import { type AppError, isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { viewOf } from '../rpc/errors.ts'
import type { AnswersRepository } from './answers.repository.ts'

/** Asks the service; keeps the answer; falls back to the kept one, which then says how old it is and why. */
export type LiveOrLast = <T>(
  key: string,
  ask: () => Promise<T>,
  options?: AskOptions,
) => Promise<{ value: T; freshness: Freshness }>

/** Who asks, where that is not a page that somebody waits for. */
export interface AskOptions {
  /** Nobody waits: a kept answer takes the place of none that is on its way, only of one that failed. */
  patient?: boolean
  /** Asks anew instead of sharing a call that runs, such as one that gives way to all others. */
  alone?: boolean
}

/** A page waits no longer than this for a live answer when there is a kept one, milliseconds. The call goes on and is kept. */
const patienceMs = 1_500

type Outcome<T> =
  { kind: 'live'; value: T; asOfMs: number } | { kind: 'failed'; error: unknown } | { kind: 'waiting' }

/**
 * Builds `liveOrLast` over a connection's kept answers. Who asks while a call of the same key runs shares it, the newest
 * of several: two run at a time only where one was asked for alone.
 * An error without a kept answer is thrown as it is. Only values that survive JSON unchanged may be asked for (the domain types do).
 */
export function createLiveOrLast(answers: AnswersRepository, clock: Clock, log: Log): LiveOrLast {
  const running = new Map<string, Promise<Outcome<unknown>>>()

  /** A live answer that cannot be kept (a full disk) is a live answer all the same. */
  function keep(key: string, value: unknown, asOfMs: number): void {
    try {
      answers.put(key, JSON.stringify(value), asOfMs)
    } catch (error) {
      log.warn('an answer could not be kept', { key, error })
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

  function share<T>(key: string, ask: () => Promise<T>, alone: boolean): Promise<Outcome<T>> {
    const existing = running.get(key) as Promise<Outcome<T>> | undefined
    if (existing && !alone) return existing
    const started = run(key, ask).finally(() => {
      if (running.get(key) === started) running.delete(key)
    })
    running.set(key, started)
    return started
  }

  return async <T>(
    key: string,
    ask: () => Promise<T>,
    { patient = false, alone = false }: AskOptions = {},
  ) => {
    const asking = share(key, ask, alone)
    const kept = patient ? undefined : answers.get(key)
    const outcome = kept ? await patiently(asking, clock) : await asking
    if (outcome.kind === 'live') {
      return {
        value: outcome.value,
        freshness: { asOf: new Date(outcome.asOfMs).toISOString(), source: 'live', error: null },
      }
    }
    const error: AppError | null = outcome.kind === 'waiting' ? null : asAppError(outcome.error)
    const last = answers.get(key)
    if (!last) throw (outcome as { error: unknown }).error
    return {
      value: JSON.parse(last.bodyJson) as T,
      freshness: {
        asOf: new Date(last.asOfMs).toISOString(),
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

/** What is not of the error table is a fault of ours, which a kept answer must not hide. */
function asAppError(error: unknown): AppError {
  if (isAppError(error)) return error
  throw error
}
