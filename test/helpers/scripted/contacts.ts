import type { ContactFilter, ContactRow, ContactSelection, ContactState } from '#contract/people/contacts.ts'
import { AppError } from '#contract/errors.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, dayMs, hourMs } from './broadcast.ts'
import type { scriptedOutbox } from './outbox.ts'
import type { ScriptedTasks } from './tasks.ts'

const people = ['Ada Lovelace', 'Grace Hopper', 'José Álvarez', '李小龙', 'Ngozi Okafor', 'Zoë van Dijk']
const cities = ['Berlin', 'Wien', 'Zürich', 'London']
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

/** `total` contacts. Lists are exact up to 20,000; beyond that filters are ignored and only the window moves. */
export function scriptedContacts(
  total: number,
  tasks: ScriptedTasks,
  outbox: Pick<ReturnType<typeof scriptedOutbox>, 'setDeletions'>,
) {
  const version = createBroadcast({ version: 1 })
  const parts = new Map<number, { firstName: string; lastName: string }>()
  let size = total
  const changed = new Map<number, Partial<ContactRow>>()
  const removed = new Set<number>()
  const notes = new Map<number, string>()
  const row = (id: number): ContactRow => ({ ...aContact(id), ...changed.get(id) })
  const touch = () => version.set({ version: version.value().version + 1 })

  /** The whole numbers of a text that is a list of them. */
  const numbersOf = (text = ''): string[] => {
    const words = text.split(/[\s,]+/).filter(Boolean)
    return words.length > 1 && words.every((word) => /^\+?\d{7,15}$/.test(word)) ? [...new Set(words)] : []
  }
  const matches = (contact: ContactRow, filter: ContactFilter) =>
    (!filter.text ||
      numbersOf(filter.text).some((number) => contact.phone.includes(number)) ||
      [contact.name, contact.phone, contact.email, ...Object.entries(contact.tags).flat()]
        .join(' ')
        .toLowerCase()
        .includes(filter.text.toLowerCase())) &&
    (!filter.states?.length || filter.states.includes(contact.state)) &&
    (filter.dnc === undefined || contact.dnc === filter.dnc) &&
    (filter.held === undefined || contact.held === filter.held) &&
    (filter.changedHere === undefined || contact.changedHere === filter.changedHere) &&
    (filter.tags ?? []).every(({ key, value }) =>
      value === null ? Object.hasOwn(contact.tags, key) : contact.tags[key] === value,
    )
  const everyId = () =>
    Array.from({ length: size }, (_id, index) => index + 1).filter((id) => !removed.has(id))
  const idsOf = (filter: ContactFilter): number[] =>
    size > 20_000 ? [] : everyId().filter((id) => matches(row(id), filter))
  const idsIn = (selection: ContactSelection): number[] =>
    'ids' in selection
      ? selection.ids
      : idsOf(selection.filter).filter((id) => !selection.exceptIds.includes(id))
  const keyOf = (contact: ContactRow, by: string) =>
    ({ name: contact.name, phone: contact.phone, email: contact.email, updated: contact.updatedAt })[by] ??
    contact.createdAt
  const detail = (id: number) => {
    if (removed.has(id) || id < 1 || id > size) throw new AppError('NOT_FOUND', { what: 'This contact' })
    const contact = row(id)
    return {
      contact,
      ...(parts.get(id) ?? { firstName: '', lastName: '' }),
      note: notes.get(id) ?? (contact.hasNote ? 'Prefers to be called after six.' : ''),
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
  const done = (kind: 'bulk-tag' | 'bulk-push' | 'bulk-delete', count: number) => ({
    ...tasks.finish({ kind, subject: `${count} contacts`, counts: { contacts: count } }),
    batchId: kind === 'bulk-tag' ? null : 'b-new',
    count,
  })

  const answers: Script['contacts'] = {
    tagBatch: () => ({ batch: null }),
    undoTags: () => ({ taskId: null, restored: 0, left: 0 }),
    list: ({ filter, sort, limit = 100, cursor, position }) => {
      const exact = size <= 20_000
      const ids = exact
        ? idsOf(filter).sort((a, b) => {
            const order = keyOf(row(a), sort.by) < keyOf(row(b), sort.by) ? -1 : 1
            return sort.descending ? -order : order
          })
        : null
      const count = ids?.length ?? size
      const from = Math.min(Number(cursor ?? position ?? 0), count)
      const until = Math.min(count, from + limit)
      const items = Array.from({ length: until - from }, (_item, index) =>
        row(ids ? ids[from + index]! : from + index + 1),
      )
      return {
        items,
        position: from,
        nextCursor: until < count ? String(until) : null,
        count: { value: count, exact: true },
        anyOfNumbers: numbersOf(filter.text).length,
        version: version.value().version,
        asOf: ago(0),
      }
    },
    count: ({ filter }) => ({ value: size > 20_000 ? size : idsOf(filter).length, exact: true }),
    summary: () => {
      const byState: Record<string, number> = {}
      const step = Math.max(1, Math.floor(size / 5_000))
      for (let id = 1; id <= size; id += step) {
        const { state } = row(id)
        byState[state] = (byState[state] ?? 0) + step
      }
      return {
        total: size - removed.size,
        byState,
        dnc: Math.floor(size / 97),
        held: Math.floor(size / 211),
        unreadableTags: 0,
        version: version.value().version,
        asOf: ago(0),
      }
    },
    watch: ((_input: unknown, signal?: AbortSignal) =>
      version.watch(signal)) as unknown as Script['contacts']['watch'],
    tagKeys: () => ({
      keys: [
        { key: 'city', count: size, values: cities },
        { key: 'tier', count: Math.floor(size / 4), values: ['gold'] },
      ],
    }),
    get: ({ id }) => detail(id),
    byPhone: ({ phone }) => {
      const id = Number(phone.replace('+4915', '')) - 20_000_000
      return { contact: id >= 1 && id <= size && !removed.has(id) ? row(id) : null }
    },
    create: ({ name, firstName = '', lastName = '', phone, email, tags }) => {
      size++
      parts.set(size, { firstName, lastName })
      changed.set(size, { name, phone, email, tags, state: 'local', serviceId: null, createdAt: ago(0) })
      touch()
      return detail(size)
    },
    update: ({ id, draft: { name, firstName = '', lastName = '', phone, email, tags } }) => {
      parts.set(id, { firstName, lastName })
      changed.set(id, { ...changed.get(id), name, phone, email, tags, updatedAt: ago(0) })
      touch()
      return detail(id)
    },
    setNote: ({ id, note }) => {
      notes.set(id, note)
      changed.set(id, { ...changed.get(id), hasNote: note !== '' })
      touch()
      return detail(id)
    },
    preview: ({ selection, action }) => {
      const count = size > 20_000 && 'filter' in selection ? size : idsIn(selection).length
      const requests = action === 'push' || action === 'delete' ? count : 0
      return {
        count,
        replaced: 0,
        requests,
        etaMs: requests === 0 ? null : (requests / 180) * 60_000,
        leftOut: action === 'push' ? { dnc: Math.floor(count / 97), 'already-on-service': 0 } : {},
        nameless: { count: 0, otherRequests: requests, otherEtaMs: null },
        withoutId: 0,
        upToId: size,
        dncList: { state: 'fresh', asOf: ago(0) },
      }
    },
    tag: ({ selection, set, remove }) => {
      const ids = idsIn(selection)
      for (const id of ids) {
        const kept = Object.entries(row(id).tags).filter(([key]) => !remove.includes(key))
        changed.set(id, { ...changed.get(id), tags: { ...Object.fromEntries(kept), ...set } })
      }
      touch()
      return done('bulk-tag', ids.length)
    },
    push: ({ selection }) => {
      const ids = idsIn(selection)
      for (const id of ids) changed.set(id, { ...changed.get(id), state: 'waiting' })
      touch()
      return done('bulk-push', ids.length)
    },
    delete: ({ selection }) => {
      const ids = idsIn(selection)
      for (const id of ids) removed.add(id)
      touch()
      const until = ago(-30_000)
      const count = ids.length
      outbox.setDeletions([
        { batchId: 'b-new', state: 'held', until, chosen: count, marked: count, requested: 0 },
      ])
      return { ...done('bulk-delete', count), undoableUntil: until }
    },
    export: ({ selection }) =>
      tasks.finish({
        kind: 'export',
        subject: `${idsIn(selection).length} contacts`,
        refId: 'file-export',
      }),
  }
  return { answers, touch }
}
