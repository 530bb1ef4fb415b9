import { randomBytes } from 'node:crypto'
import type { Dialect } from '../../contract/dialect.ts'
import type { Freshness } from '../../contract/define.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import type { Subscription } from '../../contract/webhooks.ts'
import type { LiveOrLast } from '../answers/live-or-last.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import type { ServiceClient } from '../service-client/create-service-client.ts'
import { familiesOf } from '../service-client/dialect.ts'
import type { WebhookWithSecret } from '../service-client/wire/webhook.ts'

/** Spec, Limits: the largest page. */
const perPage = 100
/** A tenant with more subscriptions than this has another problem; the list says no more than it read. */
const maxPages = 10
/** Bytes of a generated signing secret, as many as the HMAC's output. */
const secretBytes = 32

export interface WebhooksService {
  list(): Promise<{ subscriptions: Subscription[]; freshness: Freshness }>
  /** Makes sure that dlr and mo are delivered to `url` and can be verified. Null when the service does not list it yet. */
  subscribe(url: string): Promise<{ subscription: Subscription | null }>
}

export function createWebhooksService(parts: {
  client: ServiceClient
  listener: ListenerService
  dialect: () => Dialect
  liveOrLast: LiveOrLast
}): WebhooksService {
  const { client, listener, dialect, liveOrLast } = parts

  async function readAll(): Promise<WebhookWithSecret[]> {
    const found: WebhookWithSecret[] = []
    for (let page = 1; page <= maxPages; page++) {
      const { items, total } = await client.webhooks.list({ page, perPage }, { lane: 'operator' })
      found.push(...items)
      if (items.length === 0 || found.length >= total) break
    }
    return found
  }

  /** The record as the renderer gets it. What is kept of a list says whether secrets were known then, never what they were. */
  const toSubscription = ({ subscription, secret }: WebhookWithSecret): Subscription => ({
    id: subscription.id,
    url: subscription.url ?? '',
    events: subscription.events,
    families: familiesOf(subscription.events, dialect()),
    status: subscription.status,
    createdAt: subscription.createdAt,
    pointsHere: subscription.url !== null && subscription.url === listener.status().url,
    secretKnown: secret !== null && listener.knowsSecret(secret),
  })

  /** Delivers both families here. One whose secret is ours counts even where the service lists event names we do not know. */
  const isUsable = ({ subscription, secret }: WebhookWithSecret, url: string) =>
    subscription.url === url &&
    (subscription.status === null || dialect().webhookActiveStatuses.value.includes(subscription.status)) &&
    (familiesOf(subscription.events, dialect()).length === 2 ||
      (secret !== null && listener.knowsSecret(secret)))

  /** Teaches the listener the secret of a subscription that exists already. */
  async function adopt(found: WebhookWithSecret, label: string): Promise<void> {
    if (found.secret !== null && !listener.knowsSecret(found.secret))
      await listener.addSecret({ label, value: found.secret })
  }

  async function create(url: string, label: string): Promise<void> {
    const secret = randomBytes(secretBytes).toString('hex')
    const { dlr, mo } = dialect().webhookCreateEvents.value
    // Known before it is used: the first delivery may come before the answer to this call.
    const { secrets } = await listener.addSecret({ label, value: secret })
    const added = secrets.at(-1)
    try {
      await client.webhooks.create({ url, events: [...dlr, ...mo], secret }, { lane: 'operator' })
    } catch (error) {
      // Where the outcome is not known the subscription may exist, so its secret stays.
      if (added && !isAppError(error, 'OUTCOME_UNKNOWN', 'BAD_ANSWER')) await listener.removeSecret(added.id)
      throw error
    }
  }

  return {
    async list() {
      const { value, freshness } = await liveOrLast('webhooks/subscriptions', async () =>
        (await readAll()).map(toSubscription),
      )
      return { subscriptions: value, freshness }
    },
    async subscribe(url) {
      const host = URL.parse(url)?.host
      if (!host) throw new AppError('INVALID_INPUT', { detail: 'the address is not a URL' })
      const before = (await readAll()).find((found) => isUsable(found, url))
      if (before?.secret) await adopt(before, host)
      else await create(url, host)
      const after = (await readAll()).find((found) => isUsable(found, url))
      return { subscription: after ? toSubscription(after) : null }
    },
  }
}
