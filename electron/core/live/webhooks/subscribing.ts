import { randomBytes } from 'node:crypto'
import { isAppError } from '../../../contract/errors.ts'
import type { SubscribeOrder, SubscribeResult } from '../../../contract/live/webhooks.ts'
import type { ServiceParts } from '../../service/parts.ts'
import type { WebhookWithSecret } from '../../service/wire/webhook.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import type { SubscriptionList } from './subscription-list.ts'

/** Bytes of a generated signing secret, as many as the HMAC's output. */
const secretBytes = 32

/** Creates subscriptions, with their secrets in the listener. */
export function createSubscribing(
  parts: Pick<ServiceParts, 'client' | 'fieldNames'> & {
    listener: ListenerService
    list: SubscriptionList
  },
) {
  const { client, listener, fieldNames } = parts
  const { readAll, toSubscription, isKnown, isActive, covers } = parts.list

  /** Whether a subscription delivers to `url` and its receiver can verify it. */
  const fits = (found: WebhookWithSecret, { url, receiver, secret }: SubscribeOrder, anyStatus: boolean) => {
    const { status, url: target } = found.subscription
    return (
      target === url &&
      (anyStatus || isActive(status)) &&
      (receiver === 'elsewhere' || secret.kind === 'none' || found.secret !== null || isKnown(found))
    )
  }

  /** Creates a subscription. Resolves with its generated secret, if any, and the error if the outcome is unknown. */
  async function create({ url, events, receiver, secret }: SubscribeOrder) {
    const made = secret.kind === 'generate' ? randomBytes(secretBytes).toString('hex') : null
    const value = secret.kind === 'own' ? secret.value : made
    const names = events.flatMap((name) =>
      name === 'dlr' || name === 'mo' ? fieldNames().webhookCreateEvents.value[name] : [name],
    )
    // Add it to the listener first: a delivery may arrive before this call's answer.
    const added =
      receiver === 'here' && value !== null && listener.secretIdsOf(value).length === 0
        ? (await listener.addSecret({ label: url, value })).secrets.at(-1)
        : undefined
    try {
      await client.webhooks.create(
        { url, events: [...new Set(names)], ...(value === null ? {} : { secret: value }) },
        { lane: 'operator' },
      )
    } catch (error) {
      // If the outcome is unknown, the subscription may exist, so its secret stays.
      if (isAppError(error) && error.acted === 'maybe') return { made, unconfirmed: error }
      if (added && isAppError(error)) await listener.removeSecret(added.id)
      throw error
    }
    return { made, unconfirmed: null }
  }

  async function subscribe(order: SubscribeOrder, anyStatus = false): Promise<SubscribeResult> {
    const { url, receiver } = order
    const listed = await readAll()
    const fitting = listed.found.filter((found) => fits(found, order, anyStatus))
    const isMissing = (asked: string) =>
      !fitting.some(({ subscription }) => covers(subscription.events, asked))
    const missing = order.evenIfFits ? order.events : order.events.filter(isMissing)
    // Add the listed secret of a subscription created elsewhere, instead of subscribing twice.
    if (receiver === 'here')
      for (const found of fitting)
        if (found.secret !== null && !isKnown(found))
          await listener.addSecret({ label: url, value: found.secret })
    if (missing.length === 0)
      return {
        outcome: 'fits',
        subscription: fitting[0] ? toSubscription(fitting[0]) : null,
        secret: null,
      }
    const { made, unconfirmed } = await create({ ...order, events: missing })
    const known = new Set(listed.found.map(({ subscription }) => subscription.id))
    // It may exist: a list that can't be read must not hide that, nor lose the secret.
    const after = await readAll().catch((error: unknown) => {
      if (!isAppError(error)) throw error
      return { found: [] }
    })
    const created = after.found.find(
      ({ subscription: { id, url: target, events } }) =>
        target === url &&
        !known.has(id) &&
        (!unconfirmed || (listed.isWhole && missing.every((asked) => covers(events, asked)))),
    )
    if (unconfirmed && !created) throw unconfirmed
    // The service may have chosen another secret.
    if (receiver === 'here' && created && created.secret !== null && !isKnown(created))
      await listener.addSecret({ label: url, value: created.secret })
    return {
      outcome: 'created',
      subscription: created ? toSubscription(created) : null,
      // Our own secrets stay in the keychain; the operator gives this one to the other receiver.
      secret: receiver === 'elsewhere' ? made : null,
    }
  }

  const toListener = (url: string, events: string[]): SubscribeOrder => ({
    url,
    events,
    receiver: 'here',
    secret: { kind: 'generate' },
    evenIfFits: false,
  })

  /** The events to order for the same deliveries: a family if several of its names are listed, else the names. */
  function eventsLike(events: readonly string[]): string[] {
    const { value: named } = fieldNames().webhookEventFamilies
    const asked = (['dlr', 'mo'] as const).flatMap((family) => {
      const names = events.filter((event) => named[family].includes(event))
      return names.length > 1 || (names.length === 1 && names[0] === family) ? [family] : names
    })
    return asked.length > 0 ? asked : [...events]
  }

  async function replace(from: string, to: string): Promise<void> {
    for (const { subscription, secret } of (await readAll()).found) {
      if (subscription.url !== from || subscription.events.length === 0) continue
      await subscribe({
        ...toListener(to, eventsLike(subscription.events)),
        secret: secret === null ? { kind: 'generate' } : { kind: 'own', value: secret },
      })
    }
  }

  return {
    /** Subscribes `url` to those events that no fitting subscription delivers there. */
    subscribe,
    /** Makes sure that dlr and mo reach the listener at `url`, counting subscriptions of any status. For the built-in sandbox. */
    ensure: async (url: string): Promise<void> =>
      void (await subscribe(toListener(url, ['dlr', 'mo']), true)),
    /** Creates subscriptions at `to` like those at `from`, with their secrets where the list shows them. */
    replace,
  }
}
