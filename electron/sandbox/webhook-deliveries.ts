import { type KeyObject, createHmac, createSecretKey } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Faults } from './faults/create-faults.ts'
import { webhookBodies } from './faults/webhook-bodies.ts'
import { createRing } from './ring.ts'
import type { Tenant } from './tenant.ts'
import { nameOfEvent } from './webhook-events.ts'
import { type PostAnswer, createWebhookPost } from './webhook-post.ts'
import type { ServiceEvent, SubscriptionRecord } from './wire.ts'

/**
 * Waits before each attempt, from the end of the previous one: the spec's "immediately, after 5 seconds,
 * after 25 seconds". So an attempt never overlaps the receiver's 5 seconds for the last.
 */
const attemptDelaysMs: readonly number[] = [0, 5_000, 25_000]

/** Concurrent deliveries per subscription. */
const concurrencyPerSubscription = 32
/** Queued deliveries per subscription; more are dropped. */
const waitingCap = 50_000
const logSize = 2_000

/** One event on its way to one subscription, as logged. */
export interface DeliveryRecord {
  id: number
  tenantName: string
  subscriptionId: string
  url: string
  /** The dotted name. */
  event: string
  messageId: string
  state: 'pending' | 'delivered' | 'failed' | 'dropped'
  attempts: { atMs: number; durationMs: number; answer: PostAnswer }[]
}

/** Counts since the start: attempts, and deliveries by outcome. */
export interface DeliveryCounts {
  attempts: number
  delivered: number
  failed: number
  dropped: number
}

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>

interface Delivery {
  record: DeliveryRecord
  subscription: SubscriptionRecord
  body: Buffer
  signature: 'good' | 'bad' | 'none'
  /** Added to the subscription's address. */
  query: string
}

interface Lane {
  waiting: Delivery[]
  head: number
  inFlight: number
  retrying: number
}

/** Delivers signed webhooks over kept-alive connections, at most three attempts each. */
export function createWebhookDeliveries(options: { clock: Clock; log: Log; faults: Faults }) {
  const { clock, log, faults } = options
  const post = createWebhookPost(clock)
  const lanes = new Map<string, Lane>()
  const keys = new Map<string, KeyObject>()
  const records = createRing<DeliveryRecord>(logSize)
  const counts: DeliveryCounts = { attempts: 0, delivered: 0, failed: 0, dropped: 0 }
  const timers = new Set<() => void>()
  let nextId = 1
  let open = 0
  let delayed: (() => void)[] = []
  let stopped = false

  function laneOf(subscription: SubscriptionRecord): Lane {
    let lane = lanes.get(subscription.id)
    if (!lane) lanes.set(subscription.id, (lane = { waiting: [], head: 0, inFlight: 0, retrying: 0 }))
    return lane
  }

  function signatureOf(secret: string, body: Buffer): string {
    let key = keys.get(secret)
    if (!key) keys.set(secret, (key = createSecretKey(secret, 'utf8')))
    return createHmac('sha256', key).update(body).digest('hex')
  }

  function later(delayMs: number, callback: () => void): void {
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel)
      callback()
    })
    timers.add(cancel)
  }

  function enqueue(delivery: Delivery): void {
    const lane = laneOf(delivery.subscription)
    if (lane.waiting.length - lane.head + lane.retrying >= waitingCap) {
      delivery.record.state = 'dropped'
      counts.dropped++
      open--
      return
    }
    lane.waiting.push(delivery)
    pump(lane)
  }

  function pump(lane: Lane): void {
    while (!stopped && lane.inFlight < concurrencyPerSubscription && lane.head < lane.waiting.length) {
      const delivery = lane.waiting[lane.head++]!
      if (lane.head > 1_024) {
        lane.waiting = lane.waiting.slice(lane.head)
        lane.head = 0
      }
      lane.inFlight++
      attempt(lane, delivery)
    }
  }

  function attempt(lane: Lane, delivery: Delivery): void {
    const { subscription, record, body } = delivery
    const headers: Record<string, string> = {}
    if (subscription.secret && delivery.signature !== 'none') {
      const signature = signatureOf(subscription.secret, body)
      headers['X-Webhook-Signature'] = delivery.signature === 'good' ? signature : forge(signature)
    }
    counts.attempts++
    post.send(subscription.url + delivery.query, headers, body, (answer, durationMs) => {
      if (stopped) return
      lane.inFlight--
      record.attempts.push({ atMs: clock.now() - durationMs, durationMs, answer })
      if (answer === 200) settle(delivery, 'delivered')
      else if (record.attempts.length >= attemptDelaysMs.length) settle(delivery, 'failed')
      else {
        lane.retrying++
        later(attemptDelaysMs[record.attempts.length]!, () => {
          lane.retrying--
          enqueue(delivery)
        })
      }
      pump(lane)
    })
  }

  function settle(delivery: Delivery, state: 'delivered' | 'failed'): void {
    const { record, subscription } = delivery
    record.state = state
    counts[state]++
    open--
    const status = state === 'failed' ? 'failed' : 'active'
    if (subscription.status === status) return
    subscription.status = status
    if (state === 'failed')
      log.warn('Webhook marked failed after three attempts', {
        subscription: subscription.id,
        event: record.event,
        messageId: record.messageId,
        lastAnswer: record.attempts.at(-1)?.answer,
      })
  }

  function start(tenant: Tenant, subscription: SubscriptionRecord, event: ServiceEvent, body: Buffer): void {
    const fault = faults.onDelivery()
    if (fault === 'webhook-stops') {
      counts.dropped++
      return
    }
    const make = (): Delivery => {
      const record: DeliveryRecord = {
        id: nextId++,
        tenantName: tenant.name,
        subscriptionId: subscription.id,
        url: subscription.url,
        event: nameOfEvent(event),
        messageId: event.message_id,
        state: 'pending',
        attempts: [],
      }
      records.push(record)
      open++
      return {
        record,
        subscription,
        body: (fault && webhookBodies[fault]?.(event, record.id)) ?? body,
        query: fault === 'odd-target' ? '/?from=sandbox' : '',
        signature: fault === 'webhook-bad-signature' ? 'bad' : fault === 'webhook-unsigned' ? 'none' : 'good',
      }
    }
    if (fault === 'webhook-out-of-order') return holdBack(() => enqueue(make()))
    enqueue(make())
    if (fault === 'webhook-duplicates') {
      enqueue(make())
      later(400, () => enqueue(make()))
    }
  }

  /** Releases groups of eight, or what arrived within three seconds, in reverse. */
  function holdBack(release: () => void): void {
    delayed.push(release)
    if (delayed.length >= 8) releaseDelayed()
    else if (delayed.length === 1) later(3_000, releaseDelayed)
  }

  function releaseDelayed(): void {
    const releases = delayed.reverse()
    delayed = []
    for (const release of releases) release()
  }

  const bodyOf = (event: ServiceEvent) => Buffer.from(JSON.stringify(event))

  return {
    /** Sends an event to every subscription of the tenant that includes it. */
    publish(tenant: Tenant, event: ServiceEvent): void {
      if (tenant.subscriptions.size === 0 || stopped) return
      const name = nameOfEvent(event)
      let body: Buffer | undefined
      for (const subscription of tenant.subscriptions.values())
        if (subscription.events.includes(name)) start(tenant, subscription, event, (body ??= bodyOf(event)))
    },
    /** Sends an event to one subscription, whether it includes it or not. */
    sendTo: (tenant: Tenant, subscription: SubscriptionRecord, event: ServiceEvent) =>
      start(tenant, subscription, event, bodyOf(event)),
    counts: (): DeliveryCounts => ({ ...counts }),
    /** Newest deliveries, oldest first. */
    log: () => records.items(),
    /** Deliveries in progress. */
    open: () => open,
    stop(): void {
      stopped = true
      for (const cancel of timers) cancel()
      timers.clear()
      post.stop()
    },
  }
}

/** A well-formed signature with a wrong first character. */
function forge(signature: string): string {
  return (signature[0] === '0' ? '1' : '0') + signature.slice(1)
}
