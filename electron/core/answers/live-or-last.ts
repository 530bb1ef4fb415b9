import type { Freshness } from '../../contract/define.ts'
import { isAppError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { viewOf } from '../rpc/wire-errors.ts'
import type { AnswersRepository } from './answers.repository.ts'

/** Asks the service; keeps the answer; falls back to the kept one, which then says how old it is and why. */
export type LiveOrLast = <T>(
  key: string,
  ask: () => Promise<T>,
) => Promise<{ value: T; freshness: Freshness }>

/**
 * Builds `liveOrLast` over a connection's kept answers. An error without a kept answer is thrown as it is.
 * Only values that survive JSON unchanged may be asked for (the domain types do).
 */
export function createLiveOrLast(answers: AnswersRepository, clock: Clock): LiveOrLast {
  return async (key, ask) => {
    try {
      const value = await ask()
      const asOfMs = clock.now()
      answers.put(key, JSON.stringify(value), asOfMs)
      return { value, freshness: { asOf: new Date(asOfMs).toISOString(), source: 'live', error: null } }
    } catch (error) {
      const kept = isAppError(error) ? answers.get(key) : undefined
      if (!isAppError(error) || !kept) throw error
      return {
        value: JSON.parse(kept.bodyJson),
        freshness: { asOf: new Date(kept.asOfMs).toISOString(), source: 'cache', error: viewOf(error) },
      }
    }
  }
}
