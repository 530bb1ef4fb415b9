import { createIndexCandidates } from '#electron/jobs/contact-store/index-candidates.ts'
import { createSearchIndex } from '#electron/jobs/contact-store/search-index.ts'
import { fold } from '#electron/lib/fold.ts'
import { openContacts } from '../../../helpers/open-contacts.ts'

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
    /** Contacts in the index. */
    indexed: () => searchDb.prepare<[], number>('SELECT count(*) FROM texts_docsize').pluck().get(),
    candidates: (typed: string) => {
      const terms = [[[{ text: fold(typed), besideNumber: false }]]]
      const { ids, complete } = asked(terms, 1_000_000)
      return { ids: new Set(ids), complete }
    },
    holders: (text: string) => [...names].filter(([, name]) => name.includes(text)).map(([id]) => id),
    names,
  }
}

/** Lets the index finish all its work. */
export function settle(index: ReturnType<typeof createSearchIndex>): void {
  while (index.step()) continue
  while (index.tidy()) continue
}
