import type { Freshness } from '../../../contract/define.ts'
import { isAppError } from '../../../contract/errors.ts'
import type { Subscription } from '../../../contract/live/webhooks.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import type { NetworkWatch } from '../../service/client/network-watch.ts'
import { familiesOf } from '../../service/field-names/default-field-names.ts'
import type { ServiceParts } from '../../service/parts.ts'
import { readWholeList } from '../../service/read-whole-list.ts'
import { perPageMax } from '../../service/wire/page.ts'
import type { WebhookWithSecret } from '../../service/wire/webhook.ts'
import type { Receiving } from '../listener/inbound-problem.ts'
import type { ListenerService } from '../listener/listener.service.ts'

/** Most records read. */
const recordsMax = 1_000
/** Between readings of a list that messages wait for. */
const tryEveryMs = 3_000
/** After so many readings without a complete list, the next ones come later. */
const incompleteMax = 3
const tryLaterMs = 60_000
/** How long a verified delivery proves the secret of its subscription, where the service hides secrets. */
const provenForMs = 60_000
/** The service repeats a delivery for 30 s, so one may arrive after its subscription is gone. */
const retriesMs = 45_000

/** Key of the last list among the kept answers. */
const listKey = 'webhooks/subscriptions-read'

/** A subscription as cached between reads of the list. */
interface Cached {
  /** The list shows its secret. */
  isSecretShown: boolean
  record: Omit<Subscription, 'pointsHere' | 'secretKnown' | 'secretInMemory' | 'arrived'>
  secretIds: string[]
}

/** The reading that messages wait for. */
type Awaited = { state: 'none' | 'reading' | 'stopped' } | { state: 'due'; cancel: () => void }

export type SubscriptionList = ReturnType<typeof createSubscriptionList>

/** The service's list of subscriptions: what it shows here, and whether it proves that inbound messages arrive. */
export function createSubscriptionList(
  parts: Pick<ServiceParts, 'client' | 'fieldNames' | 'clock' | 'log'> & {
    network: Pick<NetworkWatch, 'state' | 'answeredMs'>
    listener: ListenerService
    answers: AnswersService
  },
) {
  const { client, network, listener, fieldNames, clock, log } = parts
  const { liveOrLast, repository } = parts.answers
  /** The last complete list, and when it was asked for, monotonic. Null before one, and while a later one only shows that something changed. */
  let whole: { found: WebhookWithSecret[]; askedMs: number } | null = null
  /** The complete list before that, also of an earlier run. Null if unknown. */
  let earlier = earlierList()
  let awaited: Awaited = { state: 'none' }
  let triedMs = -Infinity
  /** Readings in a row that gave no complete list. */
  let incomplete = 0
  /** How the last reading ended. `failed`: when, milliseconds since 1970. */
  let ended: { state: 'read' | 'refused' } | { state: 'failed'; atMs: number } = { state: 'read' }
  /** A list asked for before then may be outdated. Monotonic. */
  let outdatedMs = -Infinity
  /** What arrives after this time comes from a subscription that the lists don't show as ours. Null while they show one. Monotonic. */
  let noneFromMs: number | null = null

  async function readAll(
    lane: 'operator' | 'live' = 'operator',
  ): Promise<{ found: WebhookWithSecret[]; unreadable: number; isWhole: boolean }> {
    let askedMs = -Infinity
    // It may have waited for the rate limit, or be another try.
    const onSend = () => (askedMs = clock.monotonic())
    const { items, unreadable, complete } = await readWholeList(
      (page) => client.webhooks.list({ page, perPage: perPageMax }, { lane, ...(page === 1 && { onSend }) }),
      ({ subscription }) => subscription.id,
      recordsMax,
    )
    const found = items.map(({ subscription, secret }) => ({ subscription, secret: shownSecret(secret) }))
    await restoreSecrets(found)
    // A later reading was faster.
    if (whole !== null && whole.askedMs > askedMs) return { found: whole.found, unreadable: 0, isWhole: true }
    const isWhole = complete && unreadable === 0
    const cached = found.map(toCached)
    const hasLeading = leadingIn(cached).length > 0
    ended = { state: 'read' }
    if (isWhole) {
      earlier = whole?.found.map(toCached) ?? earlier
      whole = { found, askedMs }
      incomplete = 0
      if (activeIn(cached).length > 0) noneFromMs = null
      else noneFromMs ??= askedMs + (activeIn(earlier ?? []).length > 0 ? retriesMs : 0)
    } else {
      // Without any that lead here, it changes nothing that is known.
      if (hasLeading) whole = null
      incomplete++
    }
    if (hasLeading && listener.status().silence?.kind === 'no-subscription') listener.setSilence(null)
    return { found, unreadable, isWhole }
  }

  /** URLs whose secrets are lost. */
  const lostLabels = () =>
    new Set(listener.view().secrets.flatMap(({ value, label }) => (value === 'lost' ? label : [])))

  /** Restores the lost secrets that the list shows. Without a keychain, a restart loses all. */
  async function restoreSecrets(list: readonly WebhookWithSecret[]): Promise<void> {
    const lost = lostLabels()
    for (const found of list) {
      const { url } = found.subscription
      if (found.secret === null || url === null || !lost.has(url) || isKnown(found)) continue
      try {
        await listener.addSecret({ label: url, value: found.secret })
      } catch (error) {
        // The list counts as read anyway.
        log.info('A lost secret was not restored', { error })
      }
    }
  }

  /** Reads the list soon, because messages wait for it. */
  function readSoon(): void {
    if (awaited.state !== 'none') return
    const dueMs = triedMs + (incomplete < incompleteMax ? tryEveryMs : tryLaterMs)
    const cancel = clock.after(Math.max(0, dueMs - clock.monotonic()), () => void readAwaited())
    awaited = { state: 'due', cancel }
  }

  function readAgain(): void {
    if (awaited.state === 'stopped') return
    outdatedMs = clock.monotonic()
    ended = { state: 'read' }
    // One reading at least must end.
    incomplete = Math.min(incomplete, incompleteMax - 1)
    triedMs = -Infinity
    // A read that began before may hang.
    setAwaited({ state: 'none' })
    readSoon()
  }

  function setAwaited(next: Awaited): Awaited {
    if (awaited.state === 'due') awaited.cancel()
    return (awaited = next)
  }

  async function readAwaited(): Promise<void> {
    const reading = setAwaited({ state: 'reading' })
    triedMs = clock.monotonic()
    try {
      await readAll('live')
    } catch (error) {
      if (awaited !== reading) return
      if (!isAppError(error)) log.error('Could not read the subscriptions that messages wait for', { error })
      else if (error.code === 'FORBIDDEN' || (error.scope === 'item' && error.acted === 'no'))
        ended = { state: 'refused' }
      else if (error.scope !== 'session') {
        incomplete++
        ended = { state: 'failed', atMs: clock.now() }
      }
    }
    if (awaited === reading) setAwaited({ state: 'none' })
    if (awaited.state !== 'stopped') listener.changed()
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
      pointsHere: listener.isAt(record.url) || (count > 0 && isOnlyOneWith(record.url, secretIds)),
      secretKnown: secretIds.length > 0,
      secretInMemory: secretIds.length > 0 && secretIds.every(listener.isSecretInMemory),
      arrived: secretIds.length === 0 ? null : { count, lastAt: isoTime(lastMs), since: isoTime(sinceMs) },
    }
  }

  /** What arrived with a secret of two addresses proves neither. */
  const isOnlyOneWith = (url: string, secretIds: readonly string[]) =>
    !whole?.found.some(
      (other) => other.subscription.url !== url && secretIdsOf(other).some((id) => secretIds.includes(id)),
    )

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

  function inbound(): Receiving['subscription'] {
    const known = whole?.found.map(toCached) ?? earlier ?? []
    const isRefused = ended.state === 'refused'
    const isRead = whole !== null && whole.askedMs >= outdatedMs && network.state().reachable !== false
    const doubt = whole === null ? 'unread' : hasNone(known) ? noneBy(earlier) : null
    if ((!isRead || doubt === 'unconfirmed') && !isRefused) readSoon()
    if (!isRead && !isRefused) {
      if (incomplete < incompleteMax) return 'unread'
      // Unless the service answers other requests, it is an outage.
      if (ended.state === 'failed') return (network.answeredMs() ?? 0) > ended.atMs ? 'failing' : 'unread'
    }
    const bringing = bringingIn(known.filter(({ isSecretShown }) => isSecretShown)).filter(
      ({ pointsHere }) => pointsHere,
    )
    if (bringing.some(({ families, arrived }) => families.includes('mo') && (arrived?.count ?? 0) > 0))
      return 'arrives'
    const provenMs = provenAtMs(known)
    if (provenMs > 0) return clock.now() - provenMs < provenForMs ? 'arrives' : 'arrived'
    if (bringing.length > 0 && bringing.every(({ secretKnown }) => !secretKnown)) return 'missing'
    return doubt === 'none' || !(isRefused || incomplete >= incompleteMax) ? doubt : null
  }

  /** When each that brings inbound messages here had last proved its secret; 0 if one didn't, or has a secret of another active subscription. */
  function provenAtMs(list: readonly Cached[]): number {
    const here = list.filter((one) => bringingIn([one]).some(({ pointsHere }) => pointsHere))
    const active = list.filter(({ record }) => isActive(record.status))
    const isShared = (one: Cached) =>
      active.some((other) => other !== one && other.secretIds.some((id) => one.secretIds.includes(id)))
    if (here.length === 0 || here.some(isShared)) return 0
    return Math.min(...here.map(({ secretIds }) => listener.deliveriesSignedWith(secretIds).lastMs ?? 0))
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
    readAll,
    /** Reads the list at once: after a sign-in, the end of a session, an outage or sleep the last one may be outdated. Messages wait for it. */
    readAgain,
    toSubscription: (found: WebhookWithSecret) => toSubscription(toCached(found)),
    secretIdsOf,
    isKnown,
    covers,
    isActive,
    hasLostSecrets: () => lostLabels().size > 0,
    /** Whether inbound messages arrive here, by what the last complete list shows, also that of an earlier run. As in `Receiving`. */
    inbound,
    /** `background`: an automatic refresh, which yields to requests by people. */
    async list(
      { background }: { background: boolean } = { background: false },
    ): Promise<{ subscriptions: Subscription[]; unreadable: number; freshness: Freshness }> {
      async function read(): Promise<{ cached: Cached[]; unreadable: number; isWhole: boolean }> {
        const { found, unreadable, isWhole } = await readAll(background ? 'live' : 'operator')
        return { cached: found.map(toCached), unreadable, isWhole }
      }
      const { value, freshness } = await liveOrLast(listKey, read, { patient: background })
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
    stop: () => void setAwaited({ state: 'stopped' }),
  }
}

/** The listed secret; null if it is masked. */
const shownSecret = (secret: string | null) =>
  secret === null || /[*•…]{3}|^[*•xX.]+$/.test(secret) ? null : secret
