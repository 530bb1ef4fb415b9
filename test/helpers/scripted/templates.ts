import { AppError } from '#contract/errors.ts'
import type { BulkSend, KnownTemplate, PlanCounts, PlannedRecipient } from '#contract/people/templates.ts'
import type { SentMessage } from '#contract/people/sent.ts'
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
        acted: 'no',
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
  received: 0,
  unplaced: 0,
  noHours: 0,
  unreadable: 0,
  sentLately: 37,
  readableTwoWays: 0,
  landlines: 3,
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

const sentAs = (messageId: string): SentMessage => ({
  author: null,
  itemId: 7,
  batchId: 'b-old',
  batchTitle: { key: 'batch.sendAll', template: 'Order on its way', n: 12_031 },
  messageId,
  templateName: 'Order on its way',
  text: 'Hello Ada, your order A-4000 is on its way and arrives Tuesday.',
  state: 'done',
  serviceStatus: 'queued',
  queuedAt: ago(3 * hourMs),
  endedAt: ago(3 * hourMs),
})

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
  startAt: null,
  hours: null,
  skipReceived: false,
  sendUnplaced: false,
  digest: 'd-1',
  changedFrom: null,
  sentBy: [],
  mixed: [],
  countedAt: ago(hourMs),
  queued: 0,
  batchId: null,
  undoableUntil: null,
  createdAt: ago(hourMs),
  ...of,
})

/** The answers about templates. Lists stay as they are. */
export function scriptedTemplates(tasks: ScriptedTasks): Script['templates'] {
  const templates = ordinaryTemplates()
  const sends: BulkSend[] = [
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
  const channels = {
    items: [
      {
        id: '0e1d6c1c-0000-4000-8000-00000000c001',
        label: 'WhatsApp',
        ofSandbox: false,
        lastUsedAt: ago(5 * minuteMs),
      },
    ],
  }
  const byKey = (key: number) => {
    const found = templates.find((one) => one.key === key)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This template' })
    return found
  }
  const sendBy = (id: string) => {
    const found = sends.find((one) => one.id === id)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This send' })
    return found
  }
  const outcomeOf = ({ batchId }: BulkSend) =>
    batchId === null
      ? null
      : outboxCounts({ queued: 9_000, 'in-flight': 4, done: 3_001, rejected: 20, unknown: 6 })
  return {
    list: () => ({ items: templates, nextCursor: null, total: templates.length, asOf: ago(0) }),
    get: ({ key }) => byKey(key),
    create: () => templates[0]!,
    adopt: () => templates[0]!,
    remove: () => ({ outcome: 'deleted', template: null }),
    forget: () => {},
    channels: () => channels,
    nameChannel: () => channels,
    forgetChannel: () => channels,
    send: () => ({ batchId: 'b-old', itemId: 40 }),
    decimals: ({ mapping }) => ({
      items: mapping.map(({ name }) => ({ name, mark: 'point' as const, samples: [] })),
    }),
    inspectFile: () => ({
      header: ['customer', 'mobile', 'order', 'day'],
      sample: [
        ['Ada', '+44 20 7946 0000', 'A-1', 'Monday'],
        ['Grace', '0171 1234567', 'A-2', 'Tuesday'],
      ],
      headerRow: 1,
      phoneColumn: 1,
      numberColumns: [1],
      guesses: [],
      nameColumn: 0,
    }),
    sentTo: () => ({ items: [] }),
    prepare: ({ subject }) => {
      const { taskId } = tasks.finish({ kind: 'ott-prepare', subject, refId: 'send-2' })
      return aSend({ id: 'send-2', subject, taskId })
    },
    recount: ({ id }) => sendBy(id),
    sends: () => ({
      items: sends.map((send) => ({ ...send, outcome: outcomeOf(send), waitsFor: null })),
      nextCursor: null,
      drain: { state: 'sending', problem: null },
    }),
    sendOf: ({ id }) => ({
      send: sendBy(id),
      first: firstRecipients(),
      leftOut: leftOutRecipients(),
      etaMs: 3_609_300,
      outsideHours: 0,
      lastAt: null,
      waitsFor: null,
      requestsAhead: 300,
      reading: null,
      outcome: outcomeOf(sendBy(id)),
      notSent: { dnc: 1, held: 1, erased: 0 },
      drain: { state: 'sending', problem: null },
      test: { batchId: null, phone: null },
      dncList: { state: 'fresh', asOf: ago(2 * hourMs), teamReadAt: null, waits: null },
      isOutdated: false,
      asOf: ago(0),
    }),
    recipient: ({ find }) => ({
      recipient:
        'at' in find
          ? (firstRecipients().find(({ at }) => at === find.at) ?? null)
          : ([...firstRecipients(), ...leftOutRecipients()].find(({ phone }) => phone === find.phone) ??
            null),
    }),
    test: () => ({ batchId: 'b-old' }),
    sentAs: ({ messageId }) => ({ message: /[02468]$/.test(messageId) ? sentAs(messageId) : null }),
    queue: ({ id }) => ({ ...sendBy(id), state: 'queued', queued: 12_031, batchId: 'b-delete' }),
    discard: () => {},
    exportResults: ({ id }) =>
      tasks.finish({ kind: 'ott-results', subject: `results of ${id}`, refId: 'file-export' }),
  }
}

/** The answers about the messages of a bulk send. */
export const scriptedSendReports = (): Script['sendReports'] => ({
  get: () => ({
    counts: [
      { outcome: 'reported', status: 'delivered', code: null, count: 2_480 },
      { outcome: 'reported', status: 'submitted', code: null, count: 190 },
      { outcome: 'reported', status: 'failed', code: 2, count: 61 },
      { outcome: 'reported', status: 'failed', code: 1, count: 14 },
      { outcome: 'reported', status: 'expired', code: null, count: 6 },
      { outcome: 'no-report', status: null, code: null, count: 250 },
      { outcome: 'unclear', status: null, code: null, count: 6 },
      { outcome: 'rejected', status: null, code: null, count: 18 },
      { outcome: 'dnc', status: null, code: null, count: 1 },
      { outcome: 'held', status: null, code: null, count: 1 },
      { outcome: 'waiting', status: null, code: null, count: 9_004 },
    ],
    retryable: 58,
    retried: 12,
    asOf: ago(0),
  }),
  retryFailed: () => ({ queued: 57, blocked: 1 }),
  toSkip: () => ({ count: 0 }),
  resendCheck: () => ({ reports: [], blocked: [], blockedCount: 0, more: false }),
  prices: () => ({ prices: { lowest: 0.068, highest: 0.0745, count: 12 } }),
})
