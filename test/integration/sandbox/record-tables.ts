import { expect } from 'vitest'

/** The spec's field tables. A question mark: the field may be absent. */
const fields = {
  campaign: {
    id: 'uuid',
    tenant_id: 'uuid',
    account_id: 'uuid',
    name: 'string',
    template_id: 'uuid',
    sender_id: 'string',
    status: 'string',
    total_recipients: 'integer',
    sent_count: 'integer',
    failed_count: 'integer',
    started_at: 'time?',
    completed_at: 'time?',
    created_at: 'time',
    updated_at: 'time',
  },
  message: {
    id: 'string',
    tenant_id: 'string',
    account_id: 'string',
    user_id: 'string',
    batch_id: 'string',
    from: 'phone',
    to: 'phone',
    body: 'string',
    status: 'string',
    part_count: 'integer',
    sell_price: 'number',
    cost_price: 'number',
    connection_id: 'string',
    provider_message_id: 'string',
    priority: 'string',
    is_encrypted: 'boolean',
    sent_at: 'time?',
    delivered_at: 'time?',
    created_at: 'time',
    updated_at: 'time',
  },
  template: {
    id: 'uuid',
    tenant_id: 'uuid',
    name: 'string',
    body: 'string',
    variables: 'object',
    status: 'string',
    created_at: 'time',
    updated_at: 'time',
  },
  ottMessage: {
    id: 'string',
    tenant_id: 'string',
    channel_id: 'uuid',
    template_id: 'uuid',
    to: 'phone',
    body: 'string',
    status: 'string',
    provider_message_id: 'string',
    created_at: 'time',
  },
  contact: {
    id: 'uuid',
    tenant_id: 'uuid',
    name: 'string',
    phone: 'phone',
    email: 'string',
    tags: 'object',
    created_at: 'time',
    updated_at: 'time',
  },
  scheduled: {
    id: 'string',
    tenant_id: 'string',
    account_id: 'string',
    from_number: 'phone',
    to_number: 'phone',
    body: 'string',
    status: 'string',
    scheduled_at: 'time',
    created_at: 'time',
  },
  dncEntry: {
    id: 'string',
    tenant_id: 'string',
    phone_number: 'phone',
    reason: 'string',
    created_at: 'time',
  },
  subscription: {
    id: 'string',
    tenant_id: 'string',
    url: 'string',
    events: 'strings',
    secret: 'string',
    status: 'string',
    created_at: 'time',
  },
  errorCode: {
    id: 'string',
    code: 'string',
    description: 'string',
    category: 'string',
    resolution: 'string',
    created_at: 'time',
  },
  billing: { total_revenue: 'number', total_cost: 'number', total_margin: 'number', by_currency: 'array' },
  currency: { currency: 'string', revenue: 'number', cost: 'number' },
  overview: {
    total_messages: 'integer',
    delivered: 'integer',
    failed: 'integer',
    revenue: 'number',
    cost: 'number',
    margin: 'number',
  },
  dashboard: {
    messages_today: 'integer',
    messages_week: 'integer',
    balance: 'number',
    active_campaigns: 'integer',
    recent_messages: 'array',
  },
} as const

/** A table of the spec. */
export type TableName = keyof typeof fields

const isString = (value: unknown) => typeof value === 'string'
const kinds: Record<string, (value: unknown) => boolean> = {
  string: isString,
  uuid: (value) =>
    isString(value) && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value as string),
  time: (value) => isString(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value as string),
  phone: (value) => isString(value) && /^\+[1-9]\d{6,14}$/.test(value as string),
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  strings: (value) => Array.isArray(value) && value.every(isString),
}

/** Checks that a record has exactly the fields of its table, each of its type. */
export function expectRecord(record: Record<string, unknown>, table: TableName) {
  const wanted: Record<string, string> = fields[table]
  for (const [name, kind] of Object.entries(wanted)) {
    if (kind.endsWith('?') && !(name in record)) continue
    expect(
      kinds[kind.replace('?', '')]!(record[name]),
      `${table}.${name} = ${JSON.stringify(record[name])}`,
    ).toBe(true)
  }
  expect(Object.keys(record).filter((name) => !(name in wanted))).toEqual([])
}

/** A well-formed ID without a record. */
export const unknownId = '11111111-1111-4111-8111-111111111111'
