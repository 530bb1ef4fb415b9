import { useAnswer } from '../../shared/query/use-answer.ts'
import { checkResend, type ItemSelection } from './item-actions.ts'

/** What speaks against resending unconfirmed requests: reports they may have, and numbers that mustn’t be contacted. Null asks nothing. */
export function useResendCheck(selection: () => ItemSelection | null) {
  return useAnswer(
    () => ['outbox', 'resend-check', selection()],
    (client, signal) => checkResend(client, selection()!, false, signal),
    () => ({ enabled: selection() !== null, gcTime: 0 }),
  )
}

/** Reading them may take all events since the oldest unconfirmed message, so a list that stays open rarely asks. */
const reportsEveryMs = 300_000

/** Delivery reports that unconfirmed messages probably have; read again after each action here. */
export function useProbableReports(isWanted: () => boolean) {
  return useAnswer(
    () => ['outbox', 'probable-reports'],
    (client, signal) => checkResend(client, { filter: { states: ['unknown'] } }, true, signal),
    () => ({ enabled: isWanted(), gcTime: 0, refetchInterval: reportsEveryMs }),
  )
}
