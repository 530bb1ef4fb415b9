import { randomBytes } from 'node:crypto'
import type { Freshness } from '../../../contract/define.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import type {
  RoundTrip,
  SubscribeOrder,
  SubscribeResult,
  Subscription,
} from '../../../contract/live/webhooks.ts'
import { createSerial } from '../../../lib/serial.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import type { Receiving } from '../listener/inbound-problem.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import type { NetworkWatch } from '../../service/client/network-watch.ts'
import { familiesOf } from '../../service/field-names/default-field-names.ts'
import { createRoundTrip } from './round-trip.ts'
import { readWholeList } from '../../service/read-whole-list.ts'
import { perPageMax } from '../../service/wire/page.ts'
import type { WebhookWithSecret } from '../../service/wire/webhook.ts'
import type { ServiceParts } from '../../service/parts.ts'

/** Most records read. */
const recordsMax = 1_000
/** Bytes of a generated signing secret, as many as the HMAC's output. */
const secretBytes = 32

/** Between readings of a list that messages wait for. */
const tryEveryMs = 3_000
/** After so many readings without a complete list, the next ones come later. */
const incompleteMax = 3
const tryLaterMs = 60_000
/** How long a verified delivery proves the secret of the only subscription, where the service hides secrets. */
const provenForMs = 60_000
/** The service repeats a delivery for 30 s, so one may arrive after its subscription is gone. */
const retriesMs = 45_000

export type WebhooksService = ReturnType<typeof createWebhooksService>

/** Key of the last list among the kept answers. */
const listKey = 'webhooks/subscriptions-read'

/** A subscription as cached between reads of the list. */
interface Cached {
  /** The list shows its secret. */
  isSecretShown: boolean
  record: Omit<Subscription, 'pointsHere' | 'secretKnown' | 'secretInMemory' | 'arrived'>
  secretIds: string[]
}

export function createWebhooksService(
  parts: Pick<ServiceParts, 'client' | 'fieldNames' | 'clock' | 'log'> & {
    network: Pick<NetworkWatch, 'state' | 'answeredMs'>
    listener: ListenerService
    journal: Pick<JournalReader, 'lastSeq' | 'readAfter'>
    answers: AnswersService
  },
) {
  const { client, network, listener, fieldNames, clock, log } = parts
  const { liveOrLast, repository } = parts.answers
  const serial = createSerial()
  /** The last complete list, and when it was asked for, monotonic. Null before one, and while a later one only shows that something changed. */
  let whole: { found: WebhookWithSecret[]; askedMs: number } | null = null
  /** The complete list before that, also of an earlier run. Null if unknown. */
  let earlier = earlierList()
  /** Readings in a row that gave no complete list. */
  let incomplete = 0
  /** When the list last failed, milliseconds since 1970. Null if it was read since. */
  let failingMs: number | null = null
  /** The service refuses the list. */
  let isRefused = false
  let triedMs = -Infinity
  /** A list asked for before then may be outdated. Monotonic. */
  let outdatedMs = -Infinity
  let cancelRead: (() => void) | null = null
  let isReading = false
  let isStopped = false
  /** What arrives after this time comes from a subscription that the lists don't show as ours. Null while they show one. Monotonic. */
  let noneFromMs: number | null = null
  /** Lane of the running read that others may share; null without one. */
  let sharedLane: { lane: 'operator' | 'live' } | null = null
  const followTest = createRoundTrip(parts)

  async function readAll(
    lane: 'operator' | 'live' = 'operator',
  ): Promise<{ found: WebhookWithSecret[]; unreadable: number; isWhole: boolean }> {
    const askedMs = clock.monotonic()
    const { items, unreadable, complete } = await readWholeList(
      (page) => client.webhooks.list({ page, perPage: perPageMax }, { lane }),
      ({ subscription }) => subscription.id,
      recordsMax,
    )
    const found = items.map(({ subscription, secret }) => ({ subscription, secret: shownSecret(secret) }))
    const isWhole = complete && unreadable === 0
    if (isWhole) {
      earlier = whole?.found.map(toCached) ?? earlier
      whole = { found, askedMs }
      incomplete = 0
      failingMs = null
      isRefused = false
      if (activeIn(found.map(toCached)).length > 0) noneFromMs = null
      else noneFromMs ??= askedMs + (activeIn(earlier ?? []).length > 0 ? retriesMs : 0)
    } else {
      failingMs = null
      // Without any that lead here, it changes nothing that is known.
      if (leadingIn(found.map(toCached)).length > 0) whole = null
      incomplete++
    }
    if (listener.status().silence?.kind === 'no-subscription' && leadingIn(found.map(toCached)).length > 0)
      listener.setSilence(null)
    return { found, unreadable, isWhole }
  }

  /** Reads the list soon, because messages wait for it. */
  function readSoon(): void {
    if (cancelRead || isReading || isStopped) return
    const dueMs = triedMs + (incomplete < incompleteMax ? tryEveryMs : tryLaterMs)
    cancelRead = clock.after(Math.max(0, dueMs - clock.monotonic()), () => void readAwaited())
  }

  function readAgain(): void {
    outdatedMs = clock.monotonic()
    isRefused = false
    failingMs = null
    // One reading at least must end.
    incomplete = Math.min(incomplete, incompleteMax - 1)
    triedMs = -Infinity
    cancelRead?.()
    cancelRead = null
    // A read that began before may hang.
    isReading = false
    readSoon()
  }

  async function readAwaited(): Promise<void> {
    cancelRead = null
    isReading = true
    triedMs = clock.monotonic()
    const since = outdatedMs
    try {
      await readAll('live')
    } catch (error) {
      if (since !== outdatedMs) return
      if (!isAppError(error)) log.error('Could not read the subscriptions that messages wait for', { error })
      else if (error.code === 'FORBIDDEN' || (error.scope === 'item' && error.acted === 'no'))
        isRefused = true
      else if (error.scope !== 'session') {
        incomplete++
        failingMs = clock.now()
      }
    }
    if (since === outdatedMs) isReading = false
    if (!isStopped) listener.changed()
  }

  /** Caches the record and the ids of matching secrets, never their values. */
  const toCached = (found: WebhookWithSecret): Cached => {
    const { id, url, events, status, createdAt } = found.subscription
    return {
      isSecretShown: found.secret !== null,
      record: { id, url: url ?? '', events, families: familiesOf(events, fieldNames()), status, createdAt },
      secretIds: secretIdsOf(found),
    }
  }

  function earlierList(): Cached[] | null {
    const kept = repository.get(listKey)
    const { cached, isWhole } = JSON.parse(kept?.bodyJson ?? '{}') as Partial<{
      cached: Cached[]
      isWhole: boolean
    }>
    return isWhole && cached ? cached : null
  }

  /** The subscription for the renderer, compared with the listener's current state. */
  function toSubscription({ record, secretIds }: Cached): Subscription {
    const { count, lastMs, sinceMs } = listener.deliveriesSignedWith(secretIds)
    return {
      ...record,
      pointsHere: listener.isAt(record.url),
      secretKnown: secretIds.length > 0,
      secretInMemory: secretIds.length > 0 && secretIds.every(listener.isSecretInMemory),
      arrived: secretIds.length === 0 ? null : { count, lastAt: isoTime(lastMs), since: isoTime(sinceMs) },
    }
  }

  const leadingIn = (list: readonly Cached[]) =>
    list.map(toSubscription).filter(({ pointsHere, secretKnown }) => pointsHere || secretKnown)

  const activeIn = (list: readonly Cached[]) => leadingIn(list).filter(({ status }) => isActive(status))
  /** Those that bring inbound messages. */
  const bringingIn = (list: readonly Cached[]) => activeIn(list).filter(({ events }) => covers(events, 'mo'))

  /** Whether the listener can verify its deliveries. If the list hides the secret, one created for its URL counts. */
  const isKnown = (found: WebhookWithSecret) => secretIdsOf(found).length > 0
  const secretIdsOf = ({ subscription, secret }: WebhookWithSecret) =>
    secret !== null ? listener.secretIdsOf(secret) : listener.secretIdsLabelled(subscription.url ?? '')

  /**
   * Whether a subscription with these events delivers `asked`, a family or an event name. Unknown names count,
   * because they may.
   */
  function covers(events: readonly string[], asked: string): boolean {
    const { dlr, mo } = fieldNames().webhookEventFamilies.value
    if (events.includes(asked)) return true
    if (events.some((event) => !dlr.includes(event) && !mo.includes(event))) return true
    if (asked === 'dlr' || asked === 'mo') return familiesOf(events, fieldNames()).includes(asked)
    return familiesOf([asked], fieldNames()).some((family) => events.includes(family))
  }

  const isActive = (status: string | null) =>
    status === null || fieldNames().webhookActiveStatuses.value.includes(status)

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
    const before = listed.found.filter((found) => fits(found, order, anyStatus))
    const isMissing = (asked: string) =>
      !before.some(({ subscription }) => covers(subscription.events, asked))
    const missing = order.evenIfFits ? order.events : order.events.filter(isMissing)
    // Add the listed secret of a subscription created elsewhere, instead of subscribing twice.
    if (receiver === 'here')
      for (const found of before)
        if (found.secret !== null && !isKnown(found))
          await listener.addSecret({ label: url, value: found.secret })
    const [fitting] = before
    if (missing.length === 0)
      return {
        outcome: 'fits',
        subscription: fitting ? toSubscription(toCached(fitting)) : null,
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
      subscription: created ? toSubscription(toCached(created)) : null,
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

  async function relearnSecrets(): Promise<void> {
    const lost = new Set(
      listener
        .view()
        .secrets.filter(({ value }) => value === 'lost')
        .map(({ label }) => label),
    )
    if (lost.size === 0) return
    for (const found of (await readAll()).found) {
      const { secret } = found
      const { url } = found.subscription
      if (secret !== null && url !== null && lost.has(url) && !isKnown(found))
        await listener.addSecret({ label: url, value: secret })
    }
  }

  function inbound(): Receiving['subscription'] {
    const known = whole?.found.map(toCached) ?? earlier ?? []
    const isRead = whole !== null && whole.askedMs >= outdatedMs && network.state().reachable !== false
    const doubt = whole === null ? 'unread' : hasNone(known) ? noneBy(earlier) : null
    if ((!isRead || doubt === 'unconfirmed') && !isRefused) readSoon()
    if (!isRead && !isRefused) {
      if (incomplete < incompleteMax) return 'unread'
      // Unless the service answers other requests, it is an outage.
      if (failingMs !== null) return (network.answeredMs() ?? 0) > failingMs ? 'failing' : 'unread'
    }
    const bringing = bringingIn(known.filter(({ isSecretShown }) => isSecretShown)).filter(
      ({ pointsHere }) => pointsHere,
    )
    if (bringing.some(({ families, arrived }) => families.includes('mo') && (arrived?.count ?? 0) > 0))
      return 'arrives'
    const [only, ...others] = activeIn(known).filter(({ pointsHere }) => pointsHere)
    const lastAt = others.length === 0 && only && covers(only.events, 'mo') ? only.arrived?.lastAt : null
    if (lastAt) return clock.now() - Date.parse(lastAt) < provenForMs ? 'arrives' : 'arrived'
    if (bringing.length > 0 && bringing.every(({ secretKnown }) => !secretKnown)) return 'missing'
    return doubt === 'none' || !(isRefused || incomplete >= incompleteMax) ? doubt : null
  }

  /** None brings inbound messages, and nothing verified arrived since, as from one that the list doesn't show as ours. */
  function hasNone(list: readonly Cached[]): boolean {
    if (bringingIn(list).length > 0) return false
    return activeIn(list).length > 0 || listener.lastVerifiedMs() <= (noneFromMs ?? Infinity)
  }

  /** One list without any may be odd. */
  const noneBy = (before: typeof earlier) =>
    before !== null && bringingIn(before).length === 0 ? 'none' : 'unconfirmed'

  return {
    /** `background`: an automatic refresh, which yields to requests by people. */
    async list(
      { background }: { background: boolean } = { background: false },
    ): Promise<{ subscriptions: Subscription[]; unreadable: number; freshness: Freshness }> {
      async function read(): Promise<{ cached: Cached[]; unreadable: number; isWhole: boolean }> {
        const reading = { lane: background ? ('live' as const) : ('operator' as const) }
        sharedLane = reading
        try {
          const { found, unreadable, isWhole } = await readAll(reading.lane)
          return { cached: found.map(toCached), unreadable, isWhole }
        } finally {
          if (sharedLane === reading) sharedLane = null
        }
      }
      // A person doesn't wait for an automatic read, which yields to everyone.
      const alone = !background && sharedLane?.lane === 'live'
      const { value, freshness } = await liveOrLast(listKey, read, {
        patient: background,
        alone,
      })
      const { cached, unreadable } = value
      return { subscriptions: cached.map(toSubscription), unreadable, freshness }
    },
    arrivals: () => ({ subscriptions: (whole?.found ?? []).map((found) => toSubscription(toCached(found))) }),
    /**
     * The subscriptions that may deliver here, by the last complete list: to this listener's address, or with a secret it knows, as through
     * a tunnel. Null if unknown. `askedMs` is monotonic.
     */
    leading(): { subscriptions: Subscription[]; askedMs: number } | null {
      return whole && { subscriptions: leadingIn(whole.found.map(toCached)), askedMs: whole.askedMs }
    },
    /** Whether inbound messages arrive here, by what the last complete list shows, also that of an earlier run. As in `Receiving`. */
    inbound,
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
        return followTest(toSubscription(toCached(found)), {
          family,
          hasSecret: found.subscription.hasSecret,
          secretIds: secretIdsOf(found),
        })
      }),
    /**
     * Subscribes `url` to those events that no fitting subscription delivers there. One at a time: two at once
     * would each create a subscription, and the API can't delete one.
     */
    subscribe: (order: SubscribeOrder): Promise<SubscribeResult> => serial(() => subscribe(order)),
    /**
     * Makes sure that dlr and mo reach the listener at `url`, counting subscriptions of any status. For the
     * built-in sandbox.
     */
    ensure: (url: string): Promise<void> =>
      serial(async () => void (await subscribe(toListener(url, ['dlr', 'mo']), true))),
    /** Creates subscriptions at `to` like those at `from`, with their secrets where the list shows them. */
    replace: (from: string, to: string): Promise<void> => serial(() => replace(from, to)),
    /** Restores lost secrets from the service's list, where it shows them. Without a keychain, a restart loses all. */
    relearnSecrets: (): Promise<void> => serial(relearnSecrets),
    /** Reads the list at once: after a sign-in, the end of a session, an outage or sleep the last one may be outdated. Messages wait for it. */
    readAgain,
    stop(): void {
      isStopped = true
      cancelRead?.()
    },
  }
}

/** The listed secret; null if it is masked. */
const shownSecret = (secret: string | null) =>
  secret === null || /[*•…]{3}|^[*•xX.]+$/.test(secret) ? null : secret
