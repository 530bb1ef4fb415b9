import { randomBytes } from 'node:crypto'
import type { Dialect } from '../../contract/dialect.ts'
import type { Freshness } from '../../contract/define.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import type { RoundTrip, Subscription } from '../../contract/webhooks.ts'
import type { Clock } from '../../lib/clock.ts'
import { createSerial } from '../../lib/serial.ts'
import type { LiveOrLast } from '../answers/live-or-last.ts'
import type { JournalReader } from '../../listener/journal.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import type { ServiceClient } from '../service-client/create-service-client.ts'
import { familiesOf } from '../service-client/dialect.ts'
import { createRoundTrip } from './round-trip.ts'
import type { WebhookWithSecret } from '../service-client/wire/webhook.ts'

/** Spec, Limits: the largest page. */
const perPage = 100
/** A tenant with more subscriptions than this has another problem; the list says no more than it read. */
const maxPages = 10
/** Bytes of a generated signing secret, as many as the HMAC's output. */
const secretBytes = 32

const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

export interface WebhooksService {
  /** `byItself` where no person asks: the reading then gives way to all that people do. */
  list(asked?: { byItself: boolean }): Promise<{ subscriptions: Subscription[]; freshness: Freshness }>
  /** Makes sure that dlr and mo are delivered to `url` and can be verified. Null when the service does not list it yet. */
  subscribe(url: string): Promise<{ subscription: Subscription | null }>
  /** How many of the service's subscriptions deliver to `url`. */
  countAt(url: string): Promise<number>
  /** Lets the service send a sample event and follows it here. Rejects with NOT_FOUND, or when the list cannot be read. */
  roundTrip(input: { id: string; family: 'dlr' | 'mo' }): Promise<RoundTrip>
}

/** A subscription as it is kept between two readings of the list. */
interface Kept {
  record: Omit<Subscription, 'pointsHere' | 'secretKnown' | 'arrived'>
  secretIds: string[]
}

export function createWebhooksService(parts: {
  client: ServiceClient
  listener: ListenerService
  journal: Pick<JournalReader, 'lastSeq' | 'readAfter'>
  dialect: () => Dialect
  liveOrLast: LiveOrLast
  clock: Clock
}): WebhooksService {
  const { client, listener, dialect, liveOrLast } = parts
  const serial = createSerial()
  /** The lane of the reading that others share now; null while there is none. */
  let sharedLane: { lane: 'operator' | 'live' } | null = null
  const followTest = createRoundTrip(parts)

  async function readAll(lane: 'operator' | 'live' = 'operator'): Promise<WebhookWithSecret[]> {
    const found: WebhookWithSecret[] = []
    for (let page = 1; page <= maxPages; page++) {
      const { items, total } = await client.webhooks.list({ page, perPage }, { lane })
      found.push(...items.map(({ subscription, secret }) => ({ subscription, secret: shownSecret(secret) })))
      if (items.length === 0 || found.length >= total) break
    }
    return found
  }

  /** What is kept of a list: the record and the ids of the secrets known then, never what they were. */
  const toKept = (found: WebhookWithSecret): Kept => {
    const { id, url, events, status, createdAt } = found.subscription
    return {
      record: { id, url: url ?? '', events, families: familiesOf(events, dialect()), status, createdAt },
      secretIds: secretIdsOf(found),
    }
  }

  /** The record as the renderer gets it: against the listener of now, not of when the list was read. */
  function toSubscription({ record, secretIds }: Kept): Subscription {
    const { count, lastMs, sinceMs } = listener.deliveriesSignedWith(secretIds)
    const here = listener.status().url
    return {
      ...record,
      pointsHere: here !== null && record.url === here,
      secretKnown: secretIds.length > 0,
      arrived: secretIds.length === 0 ? null : { count, lastAt: isoOf(lastMs), since: isoOf(sinceMs) },
    }
  }

  /** The listener can check what this subscription delivers. Where the list shows no secrets, the one made for its URL counts. */
  const isKnown = (found: WebhookWithSecret) => secretIdsOf(found).length > 0
  const secretIdsOf = ({ subscription, secret }: WebhookWithSecret) =>
    secret !== null ? listener.secretIdsOf(secret) : listener.secretIdsLabelled(subscription.url ?? '')

  /** Would deliver both families to `url`, and its secret is known or can be learned. Event names we do not know may be ours. */
  const isUsable = (found: WebhookWithSecret, url: string) => {
    const { events, status, url: target } = found.subscription
    const { dlr, mo } = dialect().webhookEventFamilies.value
    const hasUnknownNames = events.some((event) => !dlr.includes(event) && !mo.includes(event))
    return (
      target === url &&
      (status === null || dialect().webhookActiveStatuses.value.includes(status)) &&
      (hasUnknownNames || familiesOf(events, dialect()).length === 2) &&
      (found.secret !== null || isKnown(found))
    )
  }

  async function create(url: string): Promise<void> {
    const secret = randomBytes(secretBytes).toString('hex')
    const { dlr, mo } = dialect().webhookCreateEvents.value
    // Known before it is used: the first delivery may come before the answer to this call.
    const { secrets } = await listener.addSecret({ label: url, value: secret })
    const added = secrets.at(-1)
    try {
      await client.webhooks.create({ url, events: [...dlr, ...mo], secret }, { lane: 'operator' })
    } catch (error) {
      // Where the outcome is not known the subscription may exist, so its secret stays.
      if (added && !isAppError(error, 'OUTCOME_UNKNOWN', 'BAD_ANSWER')) await listener.removeSecret(added.id)
      throw error
    }
  }

  async function subscribe(url: string): Promise<{ subscription: Subscription | null }> {
    const before = (await readAll()).find((found) => isUsable(found, url))
    if (before && isKnown(before)) return { subscription: toSubscription(toKept(before)) }
    // The list shows the secret of a subscription made elsewhere: taught to the listener, it needs no second one.
    if (before?.secret) await listener.addSecret({ label: url, value: before.secret })
    else await create(url)
    const after = (await readAll()).find((found) => isUsable(found, url))
    return { subscription: after ? toSubscription(toKept(after)) : null }
  }

  return {
    async list({ byItself } = { byItself: false }) {
      async function read(): Promise<Kept[]> {
        const mine = { lane: byItself ? ('live' as const) : ('operator' as const) }
        sharedLane = mine
        try {
          return (await readAll(mine.lane)).map(toKept)
        } finally {
          if (sharedLane === mine) sharedLane = null
        }
      }
      // A person does not wait behind a reading that gives way to everybody.
      const alone = !byItself && sharedLane?.lane === 'live'
      const { value, freshness } = await liveOrLast('webhooks/subscription-list', read, {
        patient: byItself,
        alone,
      })
      return { subscriptions: value.map(toSubscription), freshness }
    },
    async countAt(url) {
      return (await readAll()).filter(({ subscription }) => subscription.url === url).length
    },
    roundTrip: ({ id, family }) =>
      serial(async () => {
        const found = (await readAll()).find(({ subscription }) => subscription.id === id)
        if (!found) throw new AppError('NOT_FOUND', { what: 'This subscription' })
        return followTest(toSubscription(toKept(found)), {
          family,
          hasSecret: found.subscription.hasSecret,
          secretIds: secretIdsOf(found),
        })
      }),
    // One after another: two at once would each find nothing and make a subscription that nobody can delete.
    subscribe: (url) => serial(() => subscribe(url)),
  }
}

/** A secret as the list shows it, or null where it is masked: a row of stars is no key. */
const shownSecret = (secret: string | null) =>
  secret === null || /[*•…]{3}|^[*•xX.]+$/.test(secret) ? null : secret
