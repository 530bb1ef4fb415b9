import { expect, test } from 'vitest'
import { readOrder } from '#electron/jobs/contact-store/contact-order.ts'
import { createContactWriter } from '#electron/jobs/contact-store/contact-writer.ts'
import { createContactSearch } from '#electron/jobs/contact-store/contact-search.ts'
import { createSearchIndex } from '#electron/jobs/contact-store/search-index.ts'
import { createImportSession } from '#electron/jobs/contact-store/import-session.ts'
import { changedHere, contactStates, marks } from '#electron/jobs/contact-store/store-types.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { openContacts, someDraft } from '../../../helpers/open-contacts.ts'

test('lists a contact with a new note first by time of change, with any cached order', () => {
  const { open, contactsDb, tables, write, insert } = openContacts()
  const index = createSearchIndex(contactsDb, open('search'))
  const searchDb = open('search')
  const writer = createContactWriter(tables, () => searchDb)
  const search = createContactSearch(contactsDb, searchDb)
  // The matches were changed longest ago, so a walk from the newest reaches them late.
  const hits = 2_500
  write(() => {
    for (let at = 1; at <= hits + 2_000; at++)
      insert({
        digits: 14_155_000_000 + at,
        name: `${at <= hits ? 'Hansen' : 'Other'} ${at}`,
        createdMs: at,
        updatedMs: at,
      })
  })
  while (index.step()) continue
  const order = readOrder(contactsDb, 'updated')
  const query = { filter: { text: 'hansen' }, sort: { by: 'updated', descending: true }, limit: 3 } as const
  const page = () => search.page({ ...query, order }).items.map(({ id }) => id)
  expect(page()).toEqual([hits, hits - 1, hits - 2])
  writer.setNote(100, 'rang back', 1_000_000)
  expect(page()).toEqual([100, hits, hits - 1])
})

test('marks contacts under every form of a number that a new hold blocks', () => {
  const { open, contactsDb, tables } = openContacts()
  const writer = createContactWriter(tables, () => open('search'))
  const numbers = [12_124_573_467, 4_948_601_223_024, 4_948_601_223_025]
  for (const [at, digits] of numbers.entries())
    writer.create({ ...someDraft, digits, others: at === 1 ? [48_601_223_024] : [] }, 0, 1)
  // The first is no number of any country; +48 601223024 is one, and so is not a part of another number.
  writer.setMarks({ mark: 'held', add: [2_124_573_467, 48_601_223_024, 48_601_223_025], remove: [] })
  const marked = contactsDb.prepare<[], number>('SELECT digits FROM contacts WHERE marks <> 0').pluck()
  expect(marked.all().toSorted()).toEqual(numbers.slice(0, 2))
})

test.each([
  ['bulk tags', 'in sync with the service', 0],
  ['bulk tags', 'changed here before', changedHere],
  ['an import', 'in sync with the service', 0],
  ['an import', 'changed here before', changedHere],
])(
  'undoing %s leaves a contact %s so, with the DNC mark and without the hold of meanwhile',
  (what, _how, before) => {
    const { open, contactsDb, tables, write, insert } = openContacts()
    const writer = createContactWriter(tables, () => open('search'))
    const digits = 491_711_000_001
    const state = contactStates.indexOf('service')
    const id = write(() => insert({ digits, state, marks: before | marks.held }))
    const markBits = () => contactsDb.prepare<[], number>('SELECT marks FROM contacts').pluck().get()
    if (what === 'an import') {
      const session = createImportSession(tables, 'i', createFakeClock())
      const row = { ...someDraft, digits, id, name: 'Ada', note: '', marks: marks.held }
      const batch = { rows: [row], others: [], fresh: 0, merges: true, cursor: '1' }
      session.store({ ...batch, rowsRead: 1, rowsAhead: 0, nowMs: 1 })
      session.release()
    } else
      writer.tag(
        {
          selection: { ids: [id] },
          set: { a: 'b' },
          remove: [],
          afterId: 0,
          limit: 9,
          undo: { id: 'i', untilMs: 9 },
        },
        1,
      )
    expect(markBits()).toBe(changedHere | marks.held)
    writer.setMarks({ mark: 'held', add: [], remove: [digits] })
    writer.setMarks({ mark: 'dnc', add: [digits], remove: [] })
    const { restored } = what === 'an import' ? writer.undoImport('i', 9) : writer.undoTags('i', 9, 2)
    expect([restored, markBits()]).toEqual([1, before | marks.dnc])
  },
)

test('restores a contact as local whose request was undone with its deletion', () => {
  const { open, tables, write, insert } = openContacts()
  const writer = createContactWriter(tables, () => open('search'))
  const id = write(() => insert({ digits: 491_711_000_001, state: contactStates.indexOf('waiting') }))
  writer.trash([id], 'batch')
  const sources = {
    dnc: { file: open('cache').name, list: 'dnc' },
    held: { file: open('state').name, list: 'held' },
  } as const
  expect(writer.restore('batch', sources)).toEqual({ restored: 1, lost: 0 })
  expect(contactStates[tables.row(id)!.state]).toBe('local')
})
