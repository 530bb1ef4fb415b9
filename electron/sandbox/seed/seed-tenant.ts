import { type Dice, createDice } from '../dice.ts'
import { createHourlyFigures } from '../hourly-figures.ts'
import { type MessageStart, moveMessage, startMessage } from '../message-flow.ts'
import { createMessageStore } from '../message-store.ts'
import { type Tenant, addContact } from '../tenant.ts'
import { type CampaignStatus, type TemplateRecord, toTime } from '../wire.ts'
import { drawOutcome, drawPhone, newCampaign, singleFailShare, textFor } from './draw.ts'
import { cities, dncReasons, familyNames, givenNames, templateTexts } from './texts.ts'

const hourMs = 3_600_000

const historyDays = 30

/** Share of the busiest hour by UTC hour: little at night, two humps by day. */
function shareOfHour(hour: number): number {
  return 0.08 + 0.92 * Math.max(0, Math.sin(((hour - 5) / 16) * Math.PI)) * (hour === 12 ? 0.8 : 1)
}

/** Messages sent before the start, so that analytics of past days aren't empty. Prices are for one segment each. */
function seedHistory(tenant: Tenant, dice: Dice, messagesPerSecond: number, nowMs: number): void {
  const busiestHour = messagesPerSecond * 3_600 * 0.6
  const firstHour = Math.floor(nowMs / hourMs) - historyDays * 24
  for (let i = 0; i < historyDays * 24; i++) {
    const atMs = (firstHour + i) * hourMs
    const at = new Date(atMs)
    const weekend = at.getUTCDay() % 6 === 0 ? 0.35 : 1
    const count = Math.round(
      busiestHour * shareOfHour(at.getUTCHours()) * weekend * (0.8 + dice.next() * 0.4),
    )
    if (count === 0) continue
    const failed = Math.round(count * (0.03 + dice.next() * 0.04))
    const rejected = Math.round(failed * 0.1)
    const figures = tenant.figures.at(atMs)
    figures.total += count
    figures.failed += failed
    figures.delivered += count - failed
    let left = count - rejected
    tenant.connections.forEach((connection, index) => {
      const isLast = index === tenant.connections.length - 1
      const here = isLast ? left : Math.round(left * (0.4 + dice.next() * 0.2))
      left -= here
      const { currency, sellPrice, costPrice } = connection
      figures.revenue[currency] = (figures.revenue[currency] ?? 0) + here * sellPrice
      figures.cost[currency] = (figures.cost[currency] ?? 0) + here * costPrice
      tenant.charged += here * sellPrice
    })
  }
}

export interface TenantSeed {
  seed: number
  name: string
  slug: string
  trafficShare: number
  /** Sizes the campaigns and the past. */
  messagesPerSecond: number
  contactsCount: number
  dncCount: number
  messagesCap: number
  operatorId: string
  nowMs: number
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** Prices per segment in ten-thousandths. One tenant bills in two currencies. */
const routes = {
  harbor: [
    { currency: 'EUR', sellPrice: 690, costPrice: 520 },
    { currency: 'EUR', sellPrice: 745, costPrice: 610 },
  ],
  larkspur: [
    { currency: 'USD', sellPrice: 80, costPrice: 55 },
    { currency: 'CAD', sellPrice: 112, costPrice: 90 },
  ],
  meridian: [{ currency: 'GBP', sellPrice: 410, costPrice: 350 }],
} as const

/** An empty tenant with its fixed parts: senders, connections, channels, dice. */
export function createTenant(given: TenantSeed, generation = 0): Tenant {
  const fixed = createDice(given.seed, `${given.slug}/fixed`)
  const prices = routes[given.slug as keyof typeof routes] ?? routes.harbor
  const id = fixed.uuid()
  const templates = seededTemplates(id, fixed, given.nowMs)
  return {
    id,
    name: given.name,
    accountId: fixed.uuid(),
    operatorId: given.operatorId,
    callDice: createDice(given.seed, `${given.slug}/calls/${generation}`),
    trafficDice: createDice(given.seed, `${given.slug}/traffic/${generation}`),
    trafficShare: given.trafficShare,
    senders: Array.from({ length: 4 }, () => drawPhone(fixed)),
    connections: prices.map((price) => ({ id: fixed.uuid(), ...price })),
    channels: ['WhatsApp', 'Viber', 'RCS'].map((name) => ({ id: fixed.uuid(), name })),
    campaigns: new Map(),
    messages: createMessageStore(given.messagesCap),
    trafficTemplates: templates,
    templates: new Map(templates.map((template) => [template.id, template])),
    ottMessages: new Map(),
    contacts: new Map(),
    contactIds: [],
    scheduled: new Map(),
    dnc: new Map(),
    subscriptions: new Map(),
    figures: createHourlyFigures(),
    paidIn: 0,
    charged: 0,
  }
}

/** A tenant with a past: campaigns in every state, contacts, templates, DNC entries, scheduled messages. */
export function seedTenant(given: TenantSeed): Tenant {
  const tenant = createTenant(given)
  const dice = createDice(given.seed, `${given.slug}/seed`)
  seedContacts(tenant, dice, given)
  seedDnc(tenant, dice, given)
  seedCampaigns(tenant, dice, given)
  seedHeld(tenant, dice, given)
  seedScheduled(tenant, dice, given)
  putInOrder(tenant, given.messagesCap)
  seedHistory(tenant, dice, given.messagesPerSecond, given.nowMs)
  // Rounded, so the balance always starts the same.
  tenant.paidIn = Math.ceil(tenant.charged / 10_000) * 10_000 + 250_000_000
  return tenant
}

/** Lists follow insertion order, oldest first. */
function putInOrder(tenant: Tenant, messagesCap: number): void {
  const messages = tenant.messages.all().sort((a, b) => a.createdMs - b.createdMs)
  tenant.messages = createMessageStore(messagesCap)
  for (const message of messages) tenant.messages.add(message)
  const campaigns = [...tenant.campaigns].sort(([, a], [, b]) => a.createdMs - b.createdMs)
  tenant.campaigns = new Map(campaigns)
}

function seededTemplates(tenantId: string, dice: Dice, nowMs: number): TemplateRecord[] {
  return templateTexts.map((text) => {
    const createdAt = toTime(nowMs - dice.whole(20, 200) * dayMs)
    return {
      id: dice.uuid(),
      tenant_id: tenantId,
      name: text.name,
      body: text.body,
      variables: { ...text.variables },
      status: 'active',
      created_at: createdAt,
      updated_at: createdAt,
    }
  })
}

function seedContacts(tenant: Tenant, dice: Dice, given: TenantSeed): void {
  for (let i = 0; i < given.contactsCount; i++) {
    const name = `${dice.pick(givenNames)} ${dice.pick(familyNames)}`
    const createdAt = toTime(given.nowMs - dice.whole(1, 400 * 24 * 60) * minuteMs)
    addContact(tenant, {
      id: dice.uuid(),
      tenant_id: tenant.id,
      name,
      phone: drawPhone(dice),
      email: `contact${i + 1}@${given.slug}-customers.example`,
      tags: { city: dice.pick(cities), ...(dice.chance(0.2) ? { tier: 'gold' } : {}) },
      created_at: createdAt,
      updated_at: createdAt,
    })
  }
}

function seedDnc(tenant: Tenant, dice: Dice, given: TenantSeed): void {
  while (tenant.dnc.size < given.dncCount) {
    const phone = drawPhone(dice)
    if (tenant.dnc.has(phone)) continue
    tenant.dnc.set(phone, {
      id: dice.uuid(),
      tenant_id: tenant.id,
      phone_number: phone,
      reason: dice.pick(dncReasons),
      created_at: toTime(given.nowMs - dice.whole(1, 300 * 24 * 60) * minuteMs),
    })
  }
}

/** Status, share already sent, and age in minutes of the seeded campaigns. */
const campaignPlan: readonly [CampaignStatus, number, number][] = [
  ['cancelled', 0.3, 9 * 24 * 60],
  ['completed', 1, 5 * 24 * 60],
  ['completed', 1, 2 * 24 * 60],
  ['completed', 1, 20 * 60],
  ['paused', 0.45, 7 * 60],
  ['running', 0.6, 40],
  ['running', 0.35, 25],
  ['running', 0.2, 12],
  ['running', 0.05, 3],
  ['draft', 0, 90],
  ['draft', 0, 30],
]

/** Most messages kept of a campaign's past. */
const seededMessagesCap = 800

function seedCampaigns(tenant: Tenant, dice: Dice, given: TenantSeed): void {
  for (const [status, share, ageMinutes] of campaignPlan) {
    const createdMs = given.nowMs - ageMinutes * minuteMs
    const campaign = newCampaign(tenant, dice, given.messagesPerSecond, createdMs)
    if (status !== 'draft') campaign.startedMs = createdMs + 30_000
    const started = Math.min(seededMessagesCap, Math.floor(campaign.totalRecipients * share))
    if (status === 'completed') campaign.totalRecipients = started
    const spanMs = Math.min(given.nowMs - createdMs - 45_000, 40 * minuteMs)
    let lastMs = createdMs
    for (let i = 0; i < started; i++) {
      const start = {
        campaign,
        from: campaign.senderId,
        to: drawPhone(dice),
        body: textFor(tenant, dice, campaign),
        userId: given.operatorId,
      }
      const startMs = Math.floor(createdMs + 30_000 + (spanMs * i) / started)
      lastMs = Math.max(lastMs, finishedMessage(tenant, dice, start, startMs))
    }
    campaign.updatedMs = lastMs
    campaign.status = status
    if (status === 'completed' || status === 'cancelled') campaign.completedMs = campaign.updatedMs
    tenant.campaigns.set(campaign.id, campaign)
  }
}

/** Creates a message that was finished within seconds of `startMs`. Returns its end. */
function finishedMessage(tenant: Tenant, dice: Dice, start: MessageStart, startMs: number): number {
  const message = startMessage(tenant, start, startMs)
  const outcome = drawOutcome(dice, start.campaign?.failShare ?? singleFailShare)
  moveMessage(tenant, message, 'queued', null, startMs + 100)
  if (outcome.status !== 'rejected') moveMessage(tenant, message, 'submitted', null, startMs + 400)
  const endMs = startMs + dice.whole(1_000, 6_000)
  moveMessage(tenant, message, outcome.status, outcome.errorCode, endMs)
  return endMs
}

function seedHeld(tenant: Tenant, dice: Dice, given: TenantSeed): void {
  for (let i = 0; i < 12; i++)
    startMessage(
      tenant,
      {
        campaign: null,
        from: dice.pick(tenant.senders),
        to: drawPhone(dice),
        body: textFor(tenant, dice, null),
        userId: given.operatorId,
        held: true,
      },
      given.nowMs - dice.whole(1, 600) * minuteMs,
    )
}

/** When scheduled messages are due, in minutes from now. Past ones were sent, except the one at `refusedMinutes`. */
const scheduledMinutes = [
  -1_500, -600, -200, -90, 1, 2, 4, 7, 12, 20, 45, 90, 180, 400, 1_440, 4_320, 10_080,
] as const
const refusedMinutes = -200

function seedScheduled(tenant: Tenant, dice: Dice, given: TenantSeed): void {
  const [blocked] = tenant.dnc.keys()
  for (const [index, minutes] of scheduledMinutes.entries()) {
    const id = dice.uuid()
    const refused = minutes === refusedMinutes && blocked !== undefined
    const from = dice.pick(tenant.senders)
    const drawn = drawPhone(dice)
    // A third goes to contacts.
    const contact = index % 3 === 0 ? tenant.contacts.get(tenant.contactIds[index] ?? '') : undefined
    const to = refused ? blocked : (contact?.phone ?? drawn)
    const body = textFor(tenant, dice, null)
    const dueMs = given.nowMs + minutes * minuteMs
    tenant.scheduled.set(id, {
      id,
      tenant_id: tenant.id,
      account_id: tenant.accountId,
      from_number: from,
      to_number: to,
      body,
      status: minutes >= 0 ? 'pending' : refused ? 'failed' : 'sent',
      scheduled_at: toTime(dueMs),
      created_at: toTime(given.nowMs - dice.whole(1_600, 5_000) * minuteMs),
    })
    if (minutes < 0 && !refused)
      finishedMessage(tenant, dice, { campaign: null, from, to, body, userId: given.operatorId }, dueMs)
  }
}
