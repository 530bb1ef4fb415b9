import * as z from 'zod'
import type { TenantId, WebhookId, WebhookSubscription } from '../../../contract/domain.ts'
import { notAnError } from './message-text.ts'
import { id, instant, ourNames, recordOf, reference, statusWord, text, textList } from './fields.ts'

/** The secret is separate, so the record alone can go anywhere. */
export interface WebhookWithSecret {
  subscription: WebhookSubscription
  secret: string | null
}

/** Spec, "Webhook subscription". */
export const webhookWire = recordOf({
  id: id<WebhookId>(),
  tenant_id: reference<TenantId>(),
  url: text,
  events: textList,
  secret: text,
  status: statusWord,
  created_at: instant,
}).transform(({ secret, ...subscription }): WebhookWithSecret => ({
  subscription: { ...subscription, hasSecret: Boolean(secret) },
  secret: secret || null,
}))

/** POST /webhooks/{id}/test, whose response the spec doesn't show: its text, and the sample's message ID if it names one. */
export const webhookTestWire = notAnError
  .pipe(z.object({ message: text, message_id: text }).catch({ message: null, message_id: null }))
  .transform(ourNames)

/**
 * POST /webhooks, whose response the spec doesn't show: the subscription, in the body or under `data`, `webhook` or
 * `subscription`, else null. Rejects only a reported error.
 */
export const createdWebhookWire = notAnError.transform((body): WebhookSubscription | null => {
  const nested = Object(body) as Record<string, unknown>
  for (const candidate of [body, nested['data'], nested['webhook'], nested['subscription']]) {
    const found = webhookWire.safeParse(candidate)
    if (found.success) return found.data.subscription
  }
  return null
})
