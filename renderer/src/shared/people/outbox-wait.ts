import { isPhrase } from '#contract/phrases.ts'
import {
  type InboundProblem,
  inboundProblemSchema,
  type OutboxDrain,
  type OutboxWait,
} from '#contract/people/outbox.ts'
import { t } from '../i18n/shared.texts.ts'

/** The problem that lets only messages wait; null for another or none. */
export const waitOf = ({ problem }: Pick<OutboxDrain, 'problem'>): OutboxWait | null =>
  problem?.code === 'SENDS_WAIT_FOR_DNC' || problem?.code === 'SENDS_WAIT_FOR_INBOUND' ? problem.code : null

/** Which problem with inbound messages lets them wait; null for another or none. */
export function inboundReason({ problem }: Pick<OutboxDrain, 'problem'>): InboundProblem | null {
  const reason = problem?.code === 'SENDS_WAIT_FOR_INBOUND' ? problem.data['state'] : null
  return isPhrase(reason) ? (inboundProblemSchema.safeParse(reason.key).data ?? null) : null
}

/** Where to end the wait; null for other problems, which have their own way. */
export function waitLink({ problem }: Pick<OutboxDrain, 'problem'>): { label: string; to: string } | null {
  if (waitOf({ problem }) === 'SENDS_WAIT_FOR_DNC') return { label: t('outboxWait.dnc'), to: '/dnc' }
  const key = inboundReason({ problem })
  if (key === null || key === 'inbound.checking') return null
  if (key === 'inbound.team') return { label: t('outboxWait.team'), to: '/team' }
  if (key === 'inbound.subscription') return { label: t('outboxWait.subscribe'), to: '/webhooks?subscribe=1' }
  if (key === 'inbound.list') return { label: t('outboxWait.webhooks'), to: '/webhooks' }
  const label = t(key === 'inbound.secret' ? 'outboxWait.secret' : 'outboxWait.listener')
  return { label, to: '/settings?section=listener' }
}
