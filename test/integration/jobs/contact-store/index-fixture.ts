import { createIndexCandidates } from '#electron/jobs/contact-store/index-candidates.ts'
import { createRowPacker } from '#electron/jobs/contact-store/packed-rows.ts'
import { createSearchIndex } from '#electron/jobs/contact-store/search-index.ts'
import { fold } from '#electron/lib/fold.ts'
import { openContacts, someDraft } from '../../../helpers/open-contacts.ts'

/** Contacts and their index, or the index of another store; `names` are the contacts by ID. */
export function openIndex(contacts = openContacts(), searchDb = contacts.open('search')) {
  const { contactsDb, tables, write, insert, change } = contacts
  const start = () => createSearchIndex(contactsDb, searchDb)
  const asked = createIndexCandidates(contactsDb, searchDb)
  const names = new Map<number, string>()
  let numbers = 491_510_000_000
  return {
    contactsDb,
    searchDb,
    start,
    add(name: string): number {
      const id = insert({ digits: numbers++, name })
      names.set(id, name)
      return id
    },
    rename(id: number, name: string): void {
      change(id, { name })
      names.set(id, name)
    },
    remove(id: number): void {
      tables.remove(id)
      names.delete(id)
    },
    write,
    tagSet: tables.tagSetOf('{"of":"a test"}'),
    /** Stored tags as text, valid or not. */
    putTags: (set: number, json: string) =>
      void contactsDb.prepare('UPDATE tag_sets SET json = ? WHERE id = ?').run(json, set),
    tag: (id: number, tagSet: number): void => change(id, { tagSet }),
    /** Contacts in all segments, repeated for each segment they are in. */
    indexed: () => searchDb.prepare<[], number>('SELECT sum(contacts) FROM segments').pluck().get() ?? 0,
    outdated: () => searchDb.prepare<[], number>('SELECT outdated FROM progress').pluck().get()!,
    segments: () => searchDb.prepare<[], number>('SELECT count(*) FROM segments').pluck().get()!,
    candidates: (typed: string) => {
      const terms = [[[{ text: fold(typed), besideNumber: false }]]]
      const { ids, complete } = asked(terms, 1_000_000)
      return { ids: new Set(ids), complete }
    },
    holders: (text: string) => [...names].filter(([, name]) => name.includes(text)).map(([id]) => id),
    names,
  }
}

/** Rows of new contacts as an import passes them on, with their future IDs. */
export function rows(firstId: number, count: number) {
  const packer = createRowPacker(count)
  for (let at = 0; at < count; at++)
    packer.add({
      ...someDraft,
      digits: 331_000_000_000 + firstId + at,
      id: firstId + at,
      marks: 0,
      name: `gnu ${firstId + at}`,
      note: '',
    })
  return packer.take()
}

/** Lets the index finish all its work. */
export function settle(index: ReturnType<typeof createSearchIndex>): void {
  while (index.step()) continue
  while (index.tidy()) continue
}
