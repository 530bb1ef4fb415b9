import { AppError } from '../../../contract/errors.ts'
import type { RoundTrip, SubscribeOrder, SubscribeResult } from '../../../contract/live/webhooks.ts'
import { createSerial } from '../../../lib/serial.ts'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import { createRoundTrip } from './round-trip.ts'
import { createSubscribing } from './subscribing.ts'
import { createSubscriptionList } from './subscription-list.ts'

export type WebhooksService = ReturnType<typeof createWebhooksService>

export function createWebhooksService(
  parts: Parameters<typeof createSubscriptionList>[0] & {
    journal: Pick<JournalReader, 'lastSeq' | 'readAfter'>
  },
) {
  const list = createSubscriptionList(parts)
  const { readAll, secretIdsOf, toSubscription } = list
  const subscribing = createSubscribing({ ...parts, list })
  const followTest = createRoundTrip(parts)
  const serial = createSerial()

  return {
    list: list.list,
    arrivals: list.arrivals,
    leading: list.leading,
    inbound: list.inbound,
    readAgain: list.readAgain,
    stop: list.stop,
    /** Ids of the subscriptions that deliver to `url`. */
    async idsAt(url: string): Promise<string[]> {
      const found = (await readAll()).found.filter(({ subscription }) => subscription.url === url)
      return found.map(({ subscription }) => subscription.id)
    },
    /** Makes the service send a test event and follows it. Rejects with NOT_FOUND, or when the list can't be read. */
    roundTrip: ({ id, family }: { id: string; family: 'dlr' | 'mo' }): Promise<RoundTrip> =>
      serial(async () => {
        const found = (await readAll()).found.find(({ subscription }) => subscription.id === id)
        if (!found) throw new AppError('NOT_FOUND', { what: { key: 'what.subscription' } })
        return followTest(toSubscription(found), {
          family,
          hasSecret: found.subscription.hasSecret,
          secretIds: secretIdsOf(found),
        })
      }),
    // One at a time: two at once would each create a subscription, and the API can't delete one.
    subscribe: (order: SubscribeOrder): Promise<SubscribeResult> =>
      serial(() => subscribing.subscribe(order)),
    ensure: (url: string): Promise<void> => serial(() => subscribing.ensure(url)),
    replace: (from: string, to: string): Promise<void> => serial(() => subscribing.replace(from, to)),
    hasLostSecrets: list.hasLostSecrets,
    /** Reads the list, which restores the lost secrets that it shows. */
    relearnSecrets: (): Promise<void> =>
      serial(async () => {
        if (list.hasLostSecrets()) await readAll()
      }),
  }
}
