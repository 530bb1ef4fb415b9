import type { FieldNames } from '../../../contract/field-names.ts'
import { errorPhrase, isAppError } from '../../../contract/errors.ts'
import type { ListenerStatus, Refusal } from '../../../contract/live/listener.ts'
import type { RoundTrip, RoundTripHop, Subscription } from '../../../contract/live/webhooks.ts'
import type { Said } from '../../../contract/phrases.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import type { JournalRow } from '../../../listener/journal.ts'
import { parseDelivery } from '../events/parse-delivery.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import type { ServiceParts } from '../../service/parts.ts'

/**
 * The service's first attempt comes at once and has 5 s (spec, Delivery and retries); the rest allows for queues
 * and the network.
 */
const waitMs = 8_000
const lookEveryMs = 50
/** Rows read per look. */
const rowsPerLook = 500

/** Facts about the subscription beyond its record. */
interface Tested {
  family: 'dlr' | 'mo'
  hasSecret: boolean
  /** Ids of the listener's secrets that match it. */
  secretIds: string[]
}

type HopName = RoundTripHop['name']

const order = (receiver: 'listener' | 'relay'): HopName[] => [
  'subscription',
  receiver,
  'service',
  'network',
  'signature',
  'storage',
  'parser',
]

/** Rejection reasons of a service's request, with the hop where it failed. */
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
 * answer proves nothing, because the spec doesn't define it; only the arrival counts, and is certain only if the
 * answer named the event's ID.
 */
export function createRoundTrip(
  parts: Pick<ServiceParts, 'client' | 'fieldNames' | 'clock'> & {
    listener: Pick<ListenerService, 'status' | 'refusals' | 'isRelay'>
    journal: Pick<JournalReader, 'lastSeq' | 'readAfter'>
  },
) {
  const { client, listener, journal, fieldNames, clock } = parts

  /** Rows after `seq` that this subscription may have delivered. Without a secret, only unsigned ones. */
  function arrivals(seq: number, { secretIds }: Tested): JournalRow[] {
    return journal
      .readAfter(seq, rowsPerLook)
      .filter(({ secretId }) => (secretId === null ? secretIds.length === 0 : secretIds.includes(secretId)))
  }

  /** The event with the sample's ID; else, after the wait, the first that may be it. Without an ID: the first. */
  async function arrivalOf(
    messageId: string | null,
    afterSeq: number,
    tested: Tested,
  ): Promise<JournalRow | null> {
    const endMs = clock.monotonic() + waitMs
    let seq = afterSeq
    let first: JournalRow | null = null
    for (;;) {
      // Before the read: the listener's thread may store more meanwhile.
      const endSeq = Math.min(journal.lastSeq(), seq + rowsPerLook)
      const rows = arrivals(seq, tested)
      const sample = rows.find((row) => isSample(row, messageId))
      if (sample) return sample
      first ??= rows.find(({ body }) => parseDelivery(body).kind === tested.family) ?? rows[0] ?? null
      if ((first && messageId === null) || clock.monotonic() >= endMs) return first
      seq = Math.max(seq, endSeq)
      await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve))
    }
  }

  async function refusedSince(sinceMs: number): Promise<Refusal | undefined> {
    const { refusals } = await listener.refusals()
    return refusals.find(({ at, reason }) => Date.parse(at) >= sinceMs && reason in refusedAt)
  }

  return async function follow(subscription: Subscription, tested: Tested): Promise<RoundTrip> {
    const receiver = listener.isRelay(subscription.url) ? 'relay' : 'listener'
    const hops = new Map<HopName, RoundTripHop>()
    const note = (name: HopName, state: RoundTripHop['state'], text: Said) =>
      void hops.set(name, { name, state, text })
    const end = (rest: Pick<RoundTrip, 'tookMs' | 'maybeOrdinary' | 'seq'> | null): RoundTrip => ({
      family: tested.family,
      verdict: rest && [...hops.values()].every(({ state }) => state !== 'failed') ? 'passed' : 'failed',
      hops: order(receiver).map(
        (name) => hops.get(name) ?? { name, state: 'not-reached', text: { key: 'trip.notReached' } },
      ),
      ...(rest ?? { tookMs: null, maybeOrdinary: false, seq: null }),
      asOf: isoTime(clock.now()),
    })

    note('subscription', ...subscriptionHop(subscription, tested, fieldNames()))
    const status = listener.status()
    note(receiver, ...receiverHop(receiver, status))
    if (hops.get(receiver)?.state === 'failed') return end(null)

    const seqBefore = journal.lastSeq()
    const sinceMs = clock.now()
    const from = clock.monotonic()
    const { messageId, hop } = await callTest(subscription.id, tested.family)
    note('service', ...hop)
    if (hops.get('service')?.state === 'failed') return end(null)

    const row = await arrivalOf(messageId, seqBefore, tested)
    if (!row) {
      const refusal = await refusedSince(sinceMs)
      if (receiver === 'relay' && refusal === undefined)
        note('network', 'failed', { key: 'trip.relayLate', seconds: waitMs / 1_000 })
      else noteLoss(note, subscription, status.url, tested, refusal)
      return end(null)
    }
    // Only its ID tells a test event from another.
    const maybeOrdinary = !isSample(row, messageId)
    note('network', 'ok', { key: 'trip.arrived', address: row.remote })
    note('signature', tested.secretIds.length > 0 ? 'ok' : 'unsure', {
      key: tested.secretIds.length > 0 ? 'trip.signed' : 'trip.unsigned',
    })
    note('storage', 'ok', { key: 'trip.stored', seq: String(row.seq) })
    const parsed = parseDelivery(row.body)
    if (parsed.kind === 'quarantined')
      note('parser', 'failed', { key: 'trip.quarantined', reason: parsed.reason })
    else if (parsed.kind !== tested.family)
      note('parser', 'unsure', { key: 'trip.readsAsOther', kind: parsed.kind, family: tested.family })
    else note('parser', 'ok', { key: 'trip.readsAs', kind: parsed.kind })
    return end({ tookMs: Math.max(0, clock.monotonic() - from), maybeOrdinary, seq: row.seq })
  }

  /** Requests the test event from the service. `messageId` is the event's, if the answer names it. */
  async function callTest(
    id: string,
    family: 'dlr' | 'mo',
  ): Promise<{ messageId: string | null; hop: [state: RoundTripHop['state'], text: Said] }> {
    const eventType = fieldNames().webhookTestEvents.value[family]
    try {
      const { message, messageId } = await client.webhooks.test({ id, eventType }, { lane: 'operator' })
      const said: Said = message === null ? { key: 'trip.accepted' } : { key: 'trip.said', text: message }
      return { messageId, hop: ['ok', said] }
    } catch (error) {
      if (!isAppError(error)) throw error
      // Unconfirmed: it may have been sent; the arrival decides.
      const state = error.acted === 'no' ? 'failed' : 'unsure'
      return { messageId: null, hop: [state, errorPhrase(error)] }
    }
  }
}

const isSample = ({ body }: JournalRow, messageId: string | null) =>
  messageId !== null && parseDelivery(body).messageId === messageId

/** Checks the record. A status or event list that doesn't fit is only a doubt: the test may still be sent. */
function subscriptionHop(
  { status, families, events, url }: Subscription,
  { family, hasSecret, secretIds }: Tested,
  fieldNames: FieldNames,
): [state: RoundTripHop['state'], text: Said] {
  const active = fieldNames.webhookActiveStatuses.value
  if (status !== null && !active.includes(status)) return ['unsure', { key: 'trip.status', status }]
  if (!families.includes(family))
    return [
      'unsure',
      events.length === 0
        ? { key: 'trip.noEvents', family }
        : { key: 'trip.events', events: events.join(', '), family },
    ]
  if (hasSecret && secretIds.length === 0) return ['unsure', { key: 'trip.noSecret' }]
  return ['ok', { key: 'trip.delivers', families: families.join(', '), url }]
}

function receiverHop(
  receiver: 'listener' | 'relay',
  { state, url, problem, relay }: ListenerStatus,
): [state: RoundTripHop['state'], text: Said] {
  if (receiver === 'relay')
    return relay?.state === 'connected'
      ? ['ok', { key: 'trip.relayReads', url: relay.webhookUrl ?? '' }]
      : ['failed', { key: 'trip.relayNotConnected' }]
  if (state === 'listening') return ['ok', { key: 'trip.listens', url: url ?? '' }]
  return problem
    ? ['failed', { key: 'trip.notListeningBecause', problem: errorPhrase(problem) }]
    : ['failed', { key: 'trip.notListening' }]
}

/** No matching event arrived: names the failed hop by what was rejected meanwhile. */
function noteLoss(
  note: (name: HopName, state: RoundTripHop['state'], text: Said) => void,
  subscription: Subscription,
  listenerUrl: string | null,
  tested: Tested,
  refusal: Refusal | undefined,
): void {
  const url = listenerUrl ?? ''
  const hop = refusal && refusedAt[refusal.reason]
  if (refusal && hop === 'signature') {
    note('network', 'ok', { key: 'trip.arrived', address: refusal.remote })
    note(
      'signature',
      'failed',
      refusal.reason === 'signature-missing'
        ? { key: 'trip.notSigned' }
        : { key: tested.secretIds.length === 0 ? 'trip.secretNotStored' : 'trip.mismatch' },
    )
    return
  }
  if (refusal) {
    note('network', 'failed', {
      key: 'trip.rejected',
      reason: refusal.reason,
      request: `${refusal.method} ${refusal.path}`,
      url,
    })
    return
  }
  note(
    'network',
    'failed',
    subscription.pointsHere
      ? { key: 'trip.lateOrFirewall', seconds: waitMs / 1_000 }
      : { key: 'trip.elsewhere', seconds: waitMs / 1_000, from: subscription.url, url },
  )
}
