/** The records of the spec's tables, copied by hand from "Resources and their fields": every field, in the table's order. */
const tenant = '0f8fad5b-d9cb-469f-a165-70867728950e'
const uuid = (last: string) => `7c9e6679-7425-40de-944b-e07fc1f9${last}`

export const campaign = {
  id: uuid('0001'),
  tenant_id: tenant,
  account_id: uuid('0002'),
  name: 'Autumn offers',
  template_id: uuid('0003'),
  sender_id: '+15550100',
  status: 'running',
  total_recipients: 1200,
  sent_count: 300,
  failed_count: 4,
  started_at: '2026-01-05T08:00:00Z',
  completed_at: '2026-01-05T09:30:00Z',
  created_at: '2026-01-04T10:00:00Z',
  updated_at: '2026-01-05T08:59:59Z',
}

export const message = {
  id: 'msg_01/ä',
  tenant_id: tenant,
  account_id: 'acc-1',
  user_id: 'user-1',
  batch_id: 'batch-1',
  from: '+15550100',
  to: '+4915112345678',
  body: 'Your code is 1234',
  status: 'delivered',
  part_count: 1,
  sell_price: 0.075,
  cost_price: 0.05,
  connection_id: 'conn-1',
  provider_message_id: 'prov-1',
  priority: 'normal',
  is_encrypted: false,
  sent_at: '2026-01-05T08:00:01Z',
  delivered_at: '2026-01-05T08:00:03Z',
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:00:03Z',
}

export const template = {
  id: uuid('0003'),
  tenant_id: tenant,
  name: 'code',
  body: 'Hello {{name}}, your code is {{code}}',
  variables: { name: 'string', code: 'number' },
  status: 'active',
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:00:00Z',
}

export const ottMessage = {
  id: 'ott-1',
  tenant_id: tenant,
  channel_id: uuid('0004'),
  template_id: uuid('0003'),
  to: '+4915112345678',
  body: 'Hello Ada, your code is 7',
  status: 'delivered',
  provider_message_id: 'prov-2',
  created_at: '2026-01-05T08:00:00Z',
}

export const contact = {
  id: uuid('0005'),
  tenant_id: tenant,
  name: 'Ada',
  phone: '+4915112345678',
  email: 'ada@example.com',
  tags: { city: 'Bern' },
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:00:00Z',
}

export const scheduledMessage = {
  id: 'sched-1',
  tenant_id: tenant,
  account_id: 'acc-1',
  from_number: '+15550100',
  to_number: '+4915112345678',
  body: 'See you at ten',
  status: 'pending',
  scheduled_at: '2026-01-06T08:00:00Z',
  created_at: '2026-01-05T08:00:00Z',
}

export const dncEntry = {
  id: 'dnc-1',
  tenant_id: tenant,
  phone_number: '+4915112345678',
  reason: 'asked to stop',
  created_at: '2026-01-05T08:00:00Z',
}

export const webhook = {
  id: 'wh-1',
  tenant_id: tenant,
  url: 'https://hooks.example.com/in',
  events: ['message.delivered', 'message.failed'],
  secret: 'whsec-SECRET-1',
  status: 'active',
  created_at: '2026-01-05T08:00:00Z',
}

export const errorCode = {
  id: 'ec-1',
  code: '30003',
  description: 'Unreachable destination handset',
  category: 'carrier',
  resolution: 'Try again later',
  created_at: '2026-01-05T08:00:00Z',
}

export const billingSummary = {
  total_revenue: 120.5,
  total_cost: 80.25,
  total_margin: 40.25,
  by_currency: [{ currency: 'EUR', revenue: 120.5, cost: 80.25 }],
}

export const analyticsOverview = {
  total_messages: 1000,
  delivered: 950,
  failed: 50,
  revenue: 120.5,
  cost: 80.25,
  margin: 40.25,
}

export const dashboard = {
  messages_today: 12,
  messages_week: 345,
  balance: 99.5,
  active_campaigns: 2,
  recent_messages: [{ id: 'msg-1', anything: { at: 'all' } }],
}

/** The pagination envelope. */
export const envelope = (data: unknown, total = 1, page = 1, perPage = 20) => ({
  data,
  total,
  page,
  per_page: perPage,
})
