import { AppError } from '#contract/errors.ts'
import type {
  BulkSend,
  KnownTemplate,
  OttChannel,
  PlanCounts,
  PlannedRecipient,
} from '#contract/people/templates.ts'
import type { Script } from './script.ts'
import { outboxCounts } from './outbox.ts'
import { ago, dayMs, hourMs, minuteMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

const template = (of: Partial<KnownTemplate> & Pick<KnownTemplate, 'key' | 'name'>): KnownTemplate => ({
  serviceId: `7c0f5b1e-0000-4000-8000-00000000000${of.key}`,
  body: null,
  variables: [],
  status: 'active',
  origin: 'created',
  state: 'known',
  problem: null,
  knownSince: ago(of.key * dayMs),
  createdAt: ago(of.key * dayMs),
  updatedAt: null,
  lastSentAt: null,
  ...of,
})

/** Templates in every state: used, never used, adopted without a text, unconfirmed, gone at the service, of an unknown status. */
export function ordinaryTemplates(): KnownTemplate[] {
  return [
    template({
      key: 6,
      name: 'Order on its way',
      body: 'Hello {{name}}, your order {{ order_number }} is on its way and arrives {{day}}.',
      variables: [
        { name: 'name', type: 'string' },
        { name: 'order_number', type: 'string' },
        { name: 'day', type: 'string' },
      ],
      lastSentAt: ago(3 * hourMs),
    }),
    template({
      key: 5,
      name: 'Points balance',
      body: 'Hi {{name}}, you have {{points}} points.',
      variables: [
        { name: 'name', type: 'string' },
        { name: 'points', type: 'number' },
      ],
      status: 'in_review',
    }),
    template({
      key: 4,
      name: 'Begrüßung',
      body: 'Grüß Gott {{name}}, schön, dass Sie da sind! 🎁',
      variables: [{ name: 'name', type: 'string' }],
      serviceId: null,
      status: null,
      state: 'unconfirmed',
      problem: {
        code: 'OUTCOME_UNKNOWN',
        retryable: false,
        data: { host: 'api.messaging.example', call: 'POST /templates' },
      },
    }),
    template({ key: 3, name: '', origin: 'adopted', status: null }),
    template({
      key: 2,
      name: 'Spring offer',
      body: '{{name}}, {{percent}} percent off.',
      variables: [
        { name: 'name', type: 'string' },
        { name: 'percent', type: 'number' },
      ],
      state: 'not-found',
    }),
  ]
}

const counts: PlanCounts = {
  recipients: 12_480,
  willSend: 12_031,
  dnc: 212,
  held: 3,
  maybeListed: 0,
  refused: 0,
  missingValue: 180,
  badValue: 12,
  badNumber: 4,
  repeated: 38,
  unreadable: 0,
  sentLately: 37,
  readableTwoWays: 0,
}

const firstRecipients = (): PlannedRecipient[] =>
  Array.from({ length: 40 }, (_item, index) => ({
    at: index + 1,
    phone: `+4915${String(20_000_000 + index * 7)}`,
    name: ['Ada Lovelace', 'Grace Hopper', 'José Álvarez'][index % 3]!,
    values: [
      { name: 'name', value: ['Ada Lovelace', 'Grace Hopper', 'José Álvarez'][index % 3]! },
      { name: 'order_number', value: `A-${4_000 + index}` },
      { name: 'day', value: 'Tuesday' },
    ],
    leftOut: null,
    reason: null,
  }))

const leftOutRecipients = (): PlannedRecipient[] => [
  {
    at: 9,
    phone: '+4915112345678',
    name: 'Zoë van Dijk',
    values: [],
    leftOut: 'dnc',
    reason: 'on the DNC list',
  },
  {
    at: 14,
    phone: '+4915120000098',
    name: '',
    values: [],
    leftOut: 'missing-value',
    reason: 'no value for name',
  },
]

const aSend = (of: Partial<BulkSend> & Pick<BulkSend, 'id'>): BulkSend => ({
  templateKey: 6,
  templateName: 'Order on its way',
  body: ordinaryTemplates()[0]!.body,
  channelId: '0e1d6c1c-0000-4000-8000-00000000c001',
  subject: 'Contacts tagged city = Berlin',
  state: 'prepared',
  taskId: null,
  problem: null,
  counts,
  queued: 0,
  batchId: null,
  undoableUntil: null,
  createdAt: ago(hourMs),
  ...of,
})

/** The answers about templates over lists in memory. */
export function scriptedTemplates(tasks: ScriptedTasks) {
  let templates = ordinaryTemplates()
  let sends: BulkSend[] = [
    aSend({ id: 'send-2' }),
    aSend({
      id: 'send-1',
      subject: 'orders.csv',
      state: 'queued',
      queued: 12_031,
      batchId: 'b-push',
      createdAt: ago(dayMs),
    }),
  ]
  const readings = new Map<string, { region: string; hasCountryCodes: boolean }>()
  let channels: OttChannel[] = [
    {
      id: '0e1d6c1c-0000-4000-8000-00000000c001',
      label: 'WhatsApp',
      ofSandbox: false,
      lastUsedAt: ago(5 * minuteMs),
    },
  ]
  const byKey = (key: number) => {
    const found = templates.find((one) => one.key === key)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This template' })
    return found
  }
  const put = (next: KnownTemplate) => {
    templates = [next, ...templates.filter(({ key }) => key !== next.key)].sort((a, b) => b.key - a.key)
    return next
  }
  const sendBy = (id: string) => {
    const found = sends.find((one) => one.id === id)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This send' })
    return found
  }
  const newKey = () => Math.max(0, ...templates.map(({ key }) => key)) + 1

  const answers: Script['templates'] = {
    list: ({ text = '' }) => {
      const items = templates.filter((one) =>
        `${one.name} ${one.body} ${one.serviceId}`.toLowerCase().includes(text.toLowerCase()),
      )
      return { items, nextCursor: null, total: items.length, asOf: ago(0) }
    },
    get: ({ key }) => byKey(key),
    create: (draft) => put(template({ key: newKey(), ...draft, knownSince: ago(0) })),
    adopt: ({ serviceId, key, ...text }) =>
      put(
        template({
          ...(key === undefined ? { origin: 'adopted', status: null } : byKey(key)),
          ...text,
          key: key ?? newKey(),
          body: text.body === '' ? null : text.body,
          serviceId,
          state: 'known',
          problem: null,
        }),
      ),
    remove: ({ key }) => {
      byKey(key)
      templates = templates.filter((one) => one.key !== key)
      return { outcome: 'deleted' as const, template: null }
    },
    forget: ({ key }) => {
      templates = templates.filter((one) => one.key !== key)
      return {}
    },
    channels: () => ({ items: channels }),
    nameChannel: ({ id, label }) => {
      const others = channels.filter((one) => one.id !== id)
      channels = [{ id, label, ofSandbox: false, lastUsedAt: null }, ...others]
      return { items: channels }
    },
    forgetChannel: ({ id }) => {
      channels = channels.filter((one) => one.id !== id)
      return { items: channels }
    },
    send: () => ({ batchId: 'b-old', itemId: 40 }),
    decimals: ({ mapping }) => ({
      items: mapping.map(({ name }) => ({ name, mark: 'point' as const, samples: [] })),
    }),
    consent: () => ({ items: [] }),
    inspectFile: () => ({
      header: ['customer', 'mobile', 'order', 'day'],
      sample: [
        ['Ada', '+44 20 7946 0000', 'A-1', 'Monday'],
        ['Grace', '0171 1234567', 'A-2', 'Tuesday'],
      ],
      headerRow: 1,
      phoneColumn: 1,
      nameColumn: 0,
    }),
    sentTo: () => ({ items: [] }),
    prepare: ({ key, channelId, subject, source }) => {
      const id = `send-${sends.length + 1}`
      const { name, body } = byKey(key)
      const { taskId } = tasks.finish({ kind: 'ott-prepare', subject, refId: id })
      const send = aSend({
        id,
        templateKey: key,
        templateName: name,
        body,
        channelId,
        subject,
        counts: { ...counts, readableTwoWays: 'file' in source ? 12 : 0 },
        taskId,
        createdAt: ago(0),
      })
      if ('file' in source) {
        const { region, hasCountryCodes } = source.file
        readings.set(id, { region, hasCountryCodes })
      }
      sends = [send, ...sends]
      return send
    },
    sends: () => ({ items: sends, nextCursor: null }),
    sendOf: ({ id }) => ({
      send: sendBy(id),
      first: firstRecipients(),
      leftOut: leftOutRecipients(),
      etaMs: 3_609_300,
      reading: readings.get(id) ?? null,
      outcome:
        sendBy(id).batchId === null
          ? null
          : outboxCounts({ queued: 9_000, 'in-flight': 4, done: 3_001, rejected: 20, unknown: 6 }),
      dncList: { state: 'fresh' as const, asOf: ago(2 * hourMs) },
      asOf: ago(0),
    }),
    recipient: ({ find }) => ({
      recipient:
        'at' in find
          ? (firstRecipients().find(({ at }) => at === find.at) ?? null)
          : ([...firstRecipients(), ...leftOutRecipients()].find(({ phone }) => phone === find.phone) ??
            null),
    }),
    queue: ({ id }) => {
      const queued: BulkSend = {
        ...sendBy(id),
        state: 'queued',
        queued: 12_031,
        batchId: 'b-delete',
        undoableUntil: new Date(Date.now() + 20_000).toISOString(),
      }
      sends = sends.map((one) => (one.id === id ? queued : one))
      return queued
    },
    discard: ({ id }) => {
      sends = sends.filter((one) => one.id !== id)
      return {}
    },
    exportResults: ({ id }) =>
      tasks.finish({ kind: 'ott-results', subject: `results of ${id}`, refId: 'file-export' }),
  }
  return answers
}
