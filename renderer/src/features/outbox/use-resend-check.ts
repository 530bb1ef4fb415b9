import { useAnswer } from '../../shared/query/use-answer.ts'
import { checkResend, type ItemSelection } from './item-actions.ts'

/**
 * What speaks against resending unconfirmed requests: reports they may have, and numbers that mustn’t be contacted. Null asks nothing. Read
 * again every `everyMs`.
 */
export function useResendCheck(selection: () => ItemSelection | null, everyMs = () => 0) {
  return useAnswer(
    () => ['outbox', 'resend-check', selection()],
    (client, signal) => checkResend(client, selection()!, signal),
    () => ({ enabled: selection() !== null, gcTime: 0, refetchInterval: everyMs() }),
  )
}
