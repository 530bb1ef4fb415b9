import type { Dialect } from '../../../contract/dialect.ts'
import { isAppError } from '../../../contract/errors.ts'
import type { Refusal } from '../../../contract/live/listener.ts'
import type { RoundTrip, RoundTripHop, Subscription } from '../../../contract/live/webhooks.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { JournalReader, JournalRow } from '../../../listener/journal.ts'
import { parseDelivery } from '../events/parse-delivery.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'

/**
 * The service's first attempt comes at once and has 5 s (spec, Delivery and retries); the rest allows for queues
 * and the network.
 */
const waitMs = 8_000
const lookEveryMs = 50
/** A subscription that delivered within this span before the test is busy. */
const busySpanMs = 10_000
/** Rows read per look. */
const rowsPerLook = 500

/** What is known of the subscription besides its record. */
interface Tested {
  family: 'dlr' | 'mo'
  hasSecret: boolean
  /** Ids of the listener's secrets that match it. */
  secretIds: string[]
}

type HopName = RoundTripHop['name']

const order: HopName[] = ['subscription', 'listener', 'service', 'network', 'signature', 'storage', 'parser']

/** Rejections a service's request can meet, with the hop where it failed. */
const refusedAt: Record<string, HopName> = {
  path: 'network',
  method: 'network',
  browser: 'network',
  length: 'network',
  'too-large': 'network',
  timeout: 'network',
  'headers-too-large': 'network',
  malformed: 'network',
  'too-many-connections': 'network',
  'signature-missing': 'signature',
  'signature-malformed': 'signature',
  'signature-mismatch': 'signature',
  'no-secret': 'signature',
}

/**
 * Follows one test event from the service to the parser and names the hop where it was lost. The service's
 * answer proves nothing, because the spec doesn't define it; only the arrival counts.
 */
export function createRoundTrip(parts: {
  client: ServiceClient
  listener: Pick<ListenerService, 'status' | 'refusals'>
  journal: Pick<JournalReader, 'lastSeq' | 'readAfter'>
  dialect: () => Dialect
  clock: Clock
}) {
  const { client, listener, journal, dialect, clock } = parts

  /** Rows after `seq` that this subscription may have delivered. Without a secret, only unsigned ones. */
  function arrivals(seq: number, { secretIds }: Tested): JournalRow[] {
    return journal
      .readAfter(seq, rowsPerLook)
      .filter(({ secretId }) => (secretId === null ? secretIds.length === 0 : secretIds.includes(secretId)))
  }

  const isBusy = (seq: number, tested: Tested, nowMs: number) =>
    arrivals(Math.max(0, seq - rowsPerLook), tested).some(({ receivedMs }) => receivedMs > nowMs - busySpanMs)

  async function firstArrival(afterSeq: number, tested: Tested): Promise<JournalRow | null> {
    const endMs = clock.monotonic() + waitMs
    let seq = afterSeq
    for (;;) {
      const rows = arrivals(seq, tested)
      const match = rows.find(({ body }) => parseDelivery(body).kind === tested.family) ?? rows[0]
      if (match) return match
      if (clock.monotonic() >= endMs) return null
      seq = Math.max(seq, Math.min(journal.lastSeq(), seq + rowsPerLook))
      await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve))
    }
  }

  async function refusedSince(sinceMs: number): Promise<Refusal | undefined> {
    const { refusals } = await listener.refusals()
    return refusals.find(({ at, reason }) => Date.parse(at) >= sinceMs && reason in refusedAt)
  }

  return async function follow(subscription: Subscription, tested: Tested): Promise<RoundTrip> {
    const hops = new Map<HopName, RoundTripHop>()
    const note = (name: HopName, state: RoundTripHop['state'], text: string) =>
      void hops.set(name, { name, state, text })
    const end = (rest: Pick<RoundTrip, 'tookMs' | 'maybeOrdinary' | 'seq'> | null): RoundTrip => ({
      subscriptionId: subscription.id,
      family: tested.family,
      verdict: rest && [...hops.values()].every(({ state }) => state !== 'failed') ? 'passed' : 'failed',
      hops: order.map(
        (name) => hops.get(name) ?? { name, state: 'not-reached', text: 'The test did not get this far.' },
      ),
      ...(rest ?? { tookMs: null, maybeOrdinary: false, seq: null }),
      asOf: new Date(clock.now()).toISOString(),
    })

    note('subscription', ...subscriptionHop(subscription, tested, dialect()))
    const here = listener.status()
    if (here.state !== 'listening') {
      note('listener', 'failed', `Switchboard isn’t listening. ${here.problem?.text ?? ''}`.trim())
      return end(null)
    }
    note('listener', 'ok', `Switchboard listens at ${here.url}.`)

    const seqBefore = journal.lastSeq()
    const sinceMs = clock.now()
    const from = clock.monotonic()
    const wasBusy = isBusy(seqBefore, tested, sinceMs)
    note('service', ...(await callTest(subscription.id, tested.family)))
    if (hops.get('service')?.state === 'failed') return end(null)

    const row = await firstArrival(seqBefore, tested)
    if (!row) {
      noteLoss(note, subscription, here.url, tested, await refusedSince(sinceMs))
      return end(null)
    }
    // A test event looks like any other.
    const maybeOrdinary = wasBusy || arrivals(seqBefore, tested).length > 1
    note('network', 'ok', `A delivery arrived from ${row.remote}.`)
    note(
      'signature',
      tested.secretIds.length > 0 ? 'ok' : 'unsure',
      tested.secretIds.length > 0
        ? 'It is signed with the secret of this subscription.'
        : 'It is unsigned, so its sender is unknown. Unsigned deliveries are accepted.',
    )
    note('storage', 'ok', `It was stored as number ${row.seq} before it was acknowledged.`)
    const parsed = parseDelivery(row.body)
    if (parsed.kind === 'quarantined')
      note('parser', 'failed', `It was put in quarantine: ${parsed.reason}. The raw body is in Live events.`)
    else if (parsed.kind !== tested.family)
      note('parser', 'unsure', `It reads as ${parsed.kind}, but ${tested.family} was requested.`)
    else note('parser', 'ok', `It reads as ${parsed.kind}.`)
    return end({ tookMs: Math.max(0, clock.monotonic() - from), maybeOrdinary, seq: row.seq })
  }

  /** Requests the test event from the service. */
  async function callTest(
    id: string,
    family: 'dlr' | 'mo',
  ): Promise<[state: RoundTripHop['state'], text: string]> {
    const eventType = dialect().webhookTestEvents.value[family]
    try {
      const { message } = await client.webhooks.test({ id, eventType }, { lane: 'operator' })
      return ['ok', message === null ? 'The service accepted the test.' : `The service says: "${message}".`]
    } catch (error) {
      if (!isAppError(error)) throw error
      // It may have been sent; the arrival decides.
      if (error.code === 'OUTCOME_UNKNOWN') return ['unsure', error.message]
      return ['failed', error.message]
    }
  }
}

/** Checks the record. A status or event list that doesn't fit is only a doubt: the test may still be sent. */
function subscriptionHop(
  { status, families, events, url }: Subscription,
  { family, hasSecret, secretIds }: Tested,
  dialect: Dialect,
): [state: RoundTripHop['state'], text: string] {
  const active = dialect.webhookActiveStatuses.value
  if (status !== null && !active.includes(status))
    return ['unsure', `The service calls this subscription "${status}"; it may not deliver.`]
  if (!families.includes(family))
    return ['unsure', `It lists ${events.join(', ') || 'no events'}; ${family} may not be among them.`]
  if (hasSecret && secretIds.length === 0)
    return ['unsure', 'Switchboard doesn’t have its signing secret, so its deliveries will be rejected.']
  return ['ok', `It delivers ${families.join(' and ')} to ${url}.`]
}

/** Nothing fitting arrived: names the hop by what was rejected meanwhile. */
function noteLoss(
  note: (name: HopName, state: RoundTripHop['state'], text: string) => void,
  subscription: Subscription,
  listenerUrl: string | null,
  tested: Tested,
  refusal: Refusal | undefined,
): void {
  const hop = refusal && refusedAt[refusal.reason]
  if (refusal && hop === 'signature') {
    note('network', 'ok', `A delivery arrived from ${refusal.remote}.`)
    note(
      'signature',
      'failed',
      refusal.reason === 'signature-missing'
        ? 'Rejected: it was not signed. A proxy may remove the header X-Webhook-Signature, or the subscription has no secret.'
        : tested.secretIds.length === 0
          ? 'Rejected: the secret of this subscription is not stored here. Add it under Settings › Listener.'
          : 'Rejected: its signature doesn’t match the body. The secret was changed, or a proxy changes the body.',
    )
    return
  }
  if (refusal) {
    note(
      'network',
      'failed',
      `A request reached Switchboard but was rejected (${refusal.reason}, ${refusal.method} ${refusal.path}). Compare the path of the subscription with that of the listener, ${listenerUrl}.`,
    )
    return
  }
  note(
    'network',
    'failed',
    subscription.pointsHere
      ? `Nothing reached Switchboard within ${waitMs / 1_000} s. The service may deliver later, or a firewall is in between.`
      : `Nothing reached Switchboard within ${waitMs / 1_000} s. Check that ${subscription.url} leads to ${listenerUrl}: the tunnel or proxy may be down, or forward to another port.`,
  )
}
