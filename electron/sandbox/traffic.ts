import type { Clock } from '../lib/clock.ts'
import { moveMessage, reportOf, startMessage } from './message-flow.ts'
import { type Campaign, type StoredMessage, isFinal } from './message-store.ts'
import {
  drawOutcome,
  drawPhone,
  drawReply,
  newCampaign,
  replyShare,
  singleFailShare,
  textFor,
} from './seed/draw.ts'
import type { Tenant } from './tenant.ts'
import { type ServiceEvent, toTime } from './wire.ts'

/** All times are whole steps from the start, whenever the timer really fires. */
const stepMs = 50

const runningCampaignsKept = 3
/** Long enough to see a pause work. */
const replaceAfterPauseMs = 120_000
const replaceAfterCompletionMs = 2_000
/** Share of messages outside campaigns. */
const singleShare = 0.1
/** Share of single messages that are held, and most held at once. */
const heldShare = 0.02
const heldCap = 50

/** Share of queued messages rejected before the carrier. */
const rejectedShare = 0.004
/** Average events per message: submitted, a final report, sometimes a reply. */
const eventsPerMessage = 2 + replyShare * 0.95
/** Longest time caught up after a sleep; the rest is skipped. */
const catchUpCapMs = 60_000
/** A clock this far behind the engine was set back. */
const jumpBackMs = 1_000
/** Kept per tenant; the oldest finished ones are dropped. */
const campaignsCap = 400
const scheduledCap = 400
const scheduledPendingKept = 12

export type Traffic = ReturnType<typeof createTraffic>

interface TrafficOptions {
  clock: Clock
  tenants: readonly Tenant[]
  /** `dlr` and `mo` events per second of a tenant with a share of 1. */
  ratePerSecond: number
  running: boolean
  emit(tenant: Tenant, event: ServiceEvent): void
}

/** Messages a tenant must start per second for an event rate. */
export function messagesPerSecond(ratePerSecond: number, share: number): number {
  return (ratePerSecond * share) / eventsPerMessage
}

type Planned =
  | { kind: 'queue' | 'submit' | 'finish'; tenant: Tenant; message: StoredMessage }
  | { kind: 'reply'; tenant: Tenant; from: string; to: string }
  | { kind: 'campaign'; tenant: Tenant }

/**
 * Drives every tenant's messages: starts those of running campaigns at the configured rate, moves each to its
 * end, answers some, sends due scheduled messages and keeps three campaigns running. The same seed and start
 * time give the same events at the same times.
 */
export function createTraffic(options: TrafficOptions) {
  const { clock, tenants, running, ratePerSecond, emit } = options
  /** Time of step 0; moved when the clock jumps. */
  let anchorMs = clock.now()
  let step = 0
  /** How far `advance` has taken the engine ahead of the clock. */
  let aheadMs = 0
  const plans = new Map<number, Planned[]>()
  const owed = new Map<Tenant, number>()

  const engineMs = () => anchorMs + step * stepMs

  function plan(afterSteps: number, item: Planned): void {
    const at = step + Math.max(1, afterSteps)
    const list = plans.get(at)
    if (list) list.push(item)
    else plans.set(at, [item])
  }

  function drive(tenant: Tenant, message: StoredMessage): void {
    const dice = tenant.trafficDice
    if (message.status === 'pending') plan(dice.whole(1, 6), { kind: 'queue', tenant, message })
    else if (message.status === 'queued') plan(dice.whole(2, 16), { kind: 'submit', tenant, message })
    else if (message.status === 'submitted') plan(dice.whole(10, 80), { kind: 'finish', tenant, message })
  }

  function move(
    tenant: Tenant,
    message: StoredMessage,
    to: StoredMessage['status'],
    errorCode: number | null = null,
  ): void {
    moveMessage(tenant, message, to, errorCode, engineMs())
    const report = reportOf(message)
    if (report) emit(tenant, report)
    if (isFinal(to) && message.campaign) completeWhenDone(tenant, message.campaign)
  }

  function finish(tenant: Tenant, message: StoredMessage): void {
    const dice = tenant.trafficDice
    let outcome = drawOutcome(dice, message.campaign?.failShare ?? singleFailShare)
    // After submission a message can't be rejected; the code says so instead.
    if (outcome.status === 'rejected') outcome = { status: 'failed', errorCode: 4 }
    move(tenant, message, outcome.status, outcome.errorCode)
    if (outcome.status === 'delivered' && dice.chance(replyShare))
      plan(dice.whole(20, 160), { kind: 'reply', tenant, from: message.to, to: message.from })
  }

  function run(item: Planned): void {
    const { tenant } = item
    const dice = tenant.trafficDice
    if (item.kind === 'campaign') return startCampaign(tenant)
    if (item.kind === 'reply') return emit(tenant, drawReply(dice, item.from, item.to, engineMs()))
    const { message } = item
    if (item.kind === 'queue') {
      if (message.status !== 'pending' || message.held) return
      move(tenant, message, 'queued')
      drive(tenant, message)
    } else if (item.kind === 'submit') {
      if (message.status !== 'queued') return
      if (dice.chance(rejectedShare)) return move(tenant, message, 'rejected', 4)
      move(tenant, message, 'submitted')
      drive(tenant, message)
    } else if (message.status === 'submitted') finish(tenant, message)
  }

  function completeWhenDone(tenant: Tenant, campaign: Campaign): void {
    if (campaign.status !== 'running' || campaign.openCount > 0) return
    if (campaign.startedCount < campaign.totalRecipients) return
    campaign.status = 'completed'
    campaign.completedMs = campaign.updatedMs = engineMs()
    plan(replaceAfterCompletionMs / stepMs, { kind: 'campaign', tenant })
  }

  function startCampaign(tenant: Tenant): void {
    if (!running || runningOf(tenant).length >= runningCampaignsKept) return
    const dice = tenant.trafficDice
    const atMs = engineMs()
    const drafts = [...tenant.campaigns.values()].filter(({ status }) => status === 'draft')
    let [campaign] = drafts
    if (!campaign || drafts.length === 1) {
      campaign = newCampaign(tenant, dice, messagesPerSecond(ratePerSecond, tenant.trafficShare), atMs)
      tenant.campaigns.set(campaign.id, campaign)
      for (const [id, old] of tenant.campaigns) {
        if (tenant.campaigns.size <= campaignsCap) break
        if (old.status === 'completed' || old.status === 'cancelled') tenant.campaigns.delete(id)
      }
    }
    campaign.status = 'running'
    campaign.startedMs = campaign.updatedMs = atMs
  }

  /** Replaces campaigns that stopped before this run. */
  function planMissing(): void {
    for (const tenant of tenants)
      for (let count = runningOf(tenant).length; count < runningCampaignsKept; count++)
        plan(replaceAfterPauseMs / stepMs, { kind: 'campaign', tenant })
  }

  function runningOf(tenant: Tenant): Campaign[] {
    return [...tenant.campaigns.values()].filter(({ status }) => status === 'running')
  }

  function recipientOf(tenant: Tenant): { phone: string; name?: string | undefined } {
    const dice = tenant.trafficDice
    for (let tries = 0; tries < 5; tries++) {
      const contact =
        tenant.contactIds.length > 0 && dice.chance(0.3)
          ? // A new console has the first ones.
            tenant.contacts.get(dice.pickEarly(tenant.contactIds))
          : undefined
      const phone = contact?.phone ?? drawPhone(dice)
      if (!tenant.dnc.has(phone)) return { phone, name: contact?.name }
    }
    return { phone: drawPhone(dice) }
  }

  function startOne(tenant: Tenant, open: Campaign[], heldCount: number): StoredMessage | null {
    const dice = tenant.trafficDice
    const campaign = open.length === 0 || dice.chance(singleShare) ? null : dice.pick(open)
    // Without a running campaign, single messages keep their small share of the rate.
    if (open.length === 0 && !dice.chance(singleShare)) return null
    const from = campaign?.senderId ?? dice.pick(tenant.senders)
    const { phone: to, name } = recipientOf(tenant)
    return startMessage(
      tenant,
      {
        campaign,
        from,
        to,
        body: textFor(tenant, dice, campaign, name),
        userId: tenant.operatorId,
        held: campaign === null && heldCount < heldCap && dice.chance(heldShare),
      },
      engineMs(),
    )
  }

  const heldCounts = new Map<Tenant, number>()

  function generate(tenant: Tenant): void {
    let due =
      (owed.get(tenant) ?? 0) + (messagesPerSecond(ratePerSecond, tenant.trafficShare) * stepMs) / 1_000
    let open = runningOf(tenant).filter((campaign) => campaign.startedCount < campaign.totalRecipients)
    while (due >= 1) {
      due--
      const message = startOne(tenant, open, heldCounts.get(tenant) ?? 0)
      if (!message) continue
      if (message.held) heldCounts.set(tenant, (heldCounts.get(tenant) ?? 0) + 1)
      else drive(tenant, message)
      const { campaign } = message
      if (campaign && campaign.startedCount >= campaign.totalRecipients)
        open = open.filter((candidate) => candidate !== campaign)
    }
    owed.set(tenant, due)
  }

  function sendScheduled(tenant: Tenant): void {
    const now = toTime(engineMs())
    let pending = 0
    for (const [id, scheduled] of tenant.scheduled) {
      if (scheduled.status !== 'pending') {
        if (tenant.scheduled.size > scheduledCap) tenant.scheduled.delete(id)
        continue
      }
      if (scheduled.scheduled_at > now) {
        pending++
        continue
      }
      if (tenant.dnc.has(scheduled.to_number)) {
        scheduled.status = 'failed'
        continue
      }
      scheduled.status = 'sent'
      const message = startMessage(
        tenant,
        {
          campaign: null,
          from: scheduled.from_number,
          to: scheduled.to_number,
          body: scheduled.body,
          userId: tenant.operatorId,
        },
        engineMs(),
      )
      drive(tenant, message)
    }
    if (running && pending < scheduledPendingKept) addScheduled(tenant)
  }

  function addScheduled(tenant: Tenant): void {
    const dice = tenant.trafficDice
    const atMs = engineMs()
    const id = dice.uuid()
    const from = dice.pick(tenant.senders)
    const { phone, name } = recipientOf(tenant)
    tenant.scheduled.set(id, {
      id,
      tenant_id: tenant.id,
      account_id: tenant.accountId,
      from_number: from,
      to_number: phone,
      body: textFor(tenant, dice, null, name),
      status: 'pending',
      scheduled_at: toTime(atMs + dice.whole(2, 240) * 60_000),
      created_at: toTime(atMs),
    })
  }

  /** Recounts: a release lowers the number without telling the engine. */
  function tidy(tenant: Tenant): void {
    let held = 0
    for (const message of tenant.messages.all()) if (message.held) held++
    heldCounts.set(tenant, held)
    // Topped up, so a demo left on for days keeps a balance.
    if (tenant.paidIn - tenant.charged < 50_000_000) tenant.paidIn += 250_000_000
  }

  function oneStep(): void {
    step++
    const due = plans.get(step)
    if (due) {
      plans.delete(step)
      for (const item of due) run(item)
    }
    for (const tenant of tenants) {
      if (running) generate(tenant)
      if (step % 20 === 0) sendScheduled(tenant)
      if (step % 1_200 === 1) tidy(tenant)
    }
  }

  function runFor(ms: number): void {
    const end = step + Math.floor(ms / stepMs)
    while (step < end) oneStep()
  }

  function catchUp(): void {
    const behindMs = clock.now() + aheadMs - engineMs()
    if (behindMs > catchUpCapMs) anchorMs += behindMs - catchUpCapMs
    else if (behindMs < -jumpBackMs) anchorMs += behindMs
    runFor(clock.now() + aheadMs - engineMs())
  }

  for (const tenant of tenants)
    for (const message of tenant.messages.all())
      if (!isFinal(message.status) && !message.held) drive(tenant, message)

  planMissing()

  const cancel = clock.every(stepMs, catchUp)
  return {
    /** Advances the engine's time by `ms`, independent of the clock. */
    advance(ms: number): void {
      aheadMs += Math.floor(ms / stepMs) * stepMs
      runFor(ms)
    },
    /** Moves a message through its states from where it is. */
    drive,
    /** Plans the replacement of a paused campaign. */
    notePause: (tenant: Tenant) => plan(replaceAfterPauseMs / stepMs, { kind: 'campaign', tenant }),
    stop: cancel,
  }
}
