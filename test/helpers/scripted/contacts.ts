import type { ContactRow, ContactState, SavedContactFilter } from '#contract/people/contacts.ts'
import { AppError } from '#contract/errors.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, dayMs, hourMs, minuteMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

const people = ['Ada Lovelace', 'Grace Hopper', 'José Álvarez', '李小龙', 'Ngozi Okafor', 'Zoë van Dijk']
const cities = ['Berlin', 'Wien', 'Zürich', 'London']
const total = 1_000_000
const contactStates: ContactState[] = [
  'service',
  'service',
  'service',
  'local',
  'waiting',
  'service',
  'failed',
  'unknown',
]

/** The contact with this ID, created on each call, so that a million contacts cost nothing. */
export function aContact(id: number): ContactRow {
  const state = contactStates[id % contactStates.length]!
  return {
    id,
    name: `${people[id % people.length]} ${id}`,
    phone: `+4915${String(20_000_000 + id)}`,
    email: id % 3 === 0 ? '' : `person.${id}@example.org`,
    tagsUnreadable: false,
    tags: { city: cities[id % cities.length]!, ...(id % 4 === 0 ? { tier: 'gold' } : {}) },
    state,
    serviceId: state === 'service' ? `con-${id}` : null,
    dnc: id % 97 === 0,
    held: id % 211 === 0,
    unsure: [],
    changedHere: state === 'service' && id % 35 === 3,
    replacing: null,
    hasNote: id % 13 === 0,
    createdAt: ago((id % 300) * dayMs + hourMs),
    updatedAt: ago((id % 30) * dayMs),
  }
}

/** A million contacts, the same for every filter and after every change. */
export function scriptedContacts(tasks: ScriptedTasks): Script['contacts'] {
  const version = createBroadcast({ version: 1 })
  const detail = (id: number) => {
    if (id < 1 || id > total) throw new AppError('NOT_FOUND', { what: 'This contact' })
    const contact = aContact(id)
    return {
      contact,
      firstName: '',
      lastName: '',
      note: contact.hasNote ? 'Prefers to be called after six.' : '',
      noteVersions: contact.hasNote
        ? [
            { text: 'Prefers to be called after six.', by: 'Ben', at: ago(minuteMs) },
            { text: 'Call before noon.', by: null, at: ago(60 * minuteMs) },
          ]
        : [],
      dncEntry: contact.dnc
        ? { reason: 'Customer asked', since: ago(30 * dayMs), asOf: ago(2 * hourMs), isSure: true }
        : null,
      hold: contact.held ? { reason: 'STOP', since: ago(hourMs), isSure: true } : null,
      importId: id % 2 === 0 ? 'i-1' : null,
      importName: id % 2 === 0 ? 'autumn-contacts.csv' : null,
      lastProblem: contact.state === 'failed' ? 'phone is not a mobile number' : null,
      atService:
        contact.serviceId === null
          ? null
          : { createdAt: '2026-01-05T09:00:00.000Z', updatedAt: '2026-01-06T09:00:00.000Z' },
    }
  }
  const done = (kind: 'bulk-tag' | 'bulk-push' | 'bulk-delete') => ({
    ...tasks.finish({ kind, subject: '2 contacts', counts: { contacts: 2 } }),
    batchId: kind === 'bulk-tag' ? null : 'b-new',
    count: 2,
  })
  let filters: (SavedContactFilter & { by: string | null })[] = [
    { name: 'Gold in Berlin', filter: { tags: [{ key: 'tier', value: 'gold' }] }, by: 'Ben' },
  ]
  return {
    savedFilters: () => ({ filters, unreadable: [] }),
    saveFilter: (filter) => {
      filters = [...filters.filter(({ name }) => name !== filter.name), { ...filter, by: null }]
      return { filters, unreadable: [] }
    },
    removeFilter: ({ name }) => {
      filters = filters.filter((filter) => filter.name !== name)
      return { filters, unreadable: [] }
    },
    tagBatch: () => ({ batch: null }),
    undoTags: () => ({ taskId: null, restored: 0, left: 0 }),
    list: ({ limit = 100, cursor, position }) => {
      const from = Math.min(Number(cursor ?? position ?? 0), total)
      const until = Math.min(total, from + limit)
      return {
        items: Array.from({ length: until - from }, (_item, index) => aContact(from + index + 1)),
        position: from,
        nextCursor: until < total ? String(until) : null,
        count: { value: total, exact: true },
        anyOfNumbers: 0,
        version: 1,
        asOf: ago(0),
      }
    },
    count: () => ({ value: total, exact: true }),
    summary: () => ({
      total,
      byState: { service: total, local: 0, unknown: 0 },
      dnc: Math.floor(total / 97),
      held: Math.floor(total / 211),
      version: 1,
      asOf: ago(0),
    }),
    watch: (_input, signal) => version.watch(signal),
    tagKeys: () => ({
      keys: [
        { key: 'city', count: total, values: cities },
        { key: 'tier', count: Math.floor(total / 4), values: ['gold'] },
      ],
    }),
    get: ({ id }) => detail(id),
    names: ({ numbers }) => ({ names: numbers.map(() => null), blocked: numbers.map(() => null) }),
    byPhone: ({ phone }) => {
      const id = Number(phone.replace('+4915', '')) - 20_000_000
      return { contact: id >= 1 && id <= total ? aContact(id) : null }
    },
    create: () => detail(1),
    update: ({ id }) => detail(id),
    setNote: ({ id }) => detail(id),
    preview: () => ({
      count: 2,
      replaced: 0,
      requests: 2,
      etaMs: 700,
      leftOut: {},
      nameless: { count: 0, otherRequests: 2, otherEtaMs: 700 },
      withoutId: 0,
      upToId: total,
      dncList: { state: 'fresh', asOf: ago(0), teamReadAt: null, waits: null },
    }),
    tag: () => done('bulk-tag'),
    push: () => done('bulk-push'),
    delete: () => ({ ...done('bulk-delete'), undoableUntil: ago(-30_000) }),
    export: () => tasks.finish({ kind: 'export', subject: '2 contacts', refId: 'file-export' }),
  }
}
