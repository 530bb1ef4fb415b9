import { expect, test } from 'vitest'
import { createContactWriter } from '#electron/jobs/contact-store/contact-writer.ts'
import { openContacts, someDraft } from '../../../helpers/open-contacts.ts'

test('forgets unused tag sets except restorable ones, and uses no id again', () => {
  const { contactsDb, tables, open } = openContacts()
  const writer = createContactWriter(tables, () => open('search'))
  const tagged = (at: number, tag: string) =>
    writer.create({ ...someDraft, digits: 491_711_000_000 + at, tagsJson: `{"t":"${tag}"}` }, 0, at).id
  const [kept, edited, deleted] = [tagged(1, 'kept'), tagged(2, 'edited'), tagged(3, 'deleted')]
  const many = Array.from({ length: 45 }, (_, at) => tagged(10 + at, `many ${at}`))
  const newest = tagged(9_000, 'newest')
  writer.trash([deleted], 'batch')
  writer.tag(
    {
      selection: { ids: [edited, ...many, newest] },
      set: {},
      remove: ['t'],
      afterId: 0,
      limit: 9_999,
      undo: null,
    },
    1,
  )
  const newestId = () => contactsDb.prepare<[], number>('SELECT max(id) FROM tag_sets').pluck().get()!
  const lastId = newestId()
  tables.dropUnusedSets()
  const sets = () => contactsDb.prepare<[], string>('SELECT json FROM tag_sets ORDER BY id').pluck().all()
  expect(sets()).toEqual(['{}', '{"t":"kept"}', '{"t":"deleted"}'])
  // A restored contact has its tags back, and a forgotten set can be created again.
  writer.restore('batch', {
    dnc: { file: open('cache').name, list: 'dnc' },
    held: { file: open('state').name, list: 'held' },
  })
  const tagsOf = (id: number) => tables.row(id)?.tagsJson
  expect(tagsOf(deleted)).toBe('{"t":"deleted"}')
  expect(tagsOf(kept)).toBe('{"t":"kept"}')
  writer.tag(
    { selection: { ids: [edited] }, set: { t: 'edited' }, remove: [], afterId: 0, limit: 10, undo: null },
    2,
  )
  expect(tagsOf(edited)).toBe('{"t":"edited"}')
  expect(sets()).toHaveLength(4)
  expect(newestId()).toBeGreaterThan(lastId)
})

test('gives no contact the tags of a transaction that failed', () => {
  const { tables, write, insert } = openContacts()
  const fail = () => {
    tables.tagSetOf('{"a":"1"}')
    throw new Error('The disk is full')
  }
  expect(() => write(fail)).toThrow('The disk is full')
  const sets = ['{"b":"2"}', '{"a":"1"}']
  const ids = sets.map((json, at) => write(() => insert({ digits: at + 1, tagSet: tables.tagSetOf(json) })))
  expect(ids.map((id) => tables.row(id)?.tagsJson)).toEqual(sets)
})
