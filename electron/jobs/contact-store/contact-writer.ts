import { AppError } from '../../contract/errors.ts'
import { readTagsJson, withTags } from '../../lib/tags-json.ts'
import type { ContactTables, StoredContact } from './contact-tables.ts'
import {
  type StoreDraft,
  type StoreRow,
  changedHere,
  contactStates,
  type Mark,
  marks,
  type OutboxEffect,
} from './store-types.ts'
import { type ContactSearch, createContactSearch } from './contact-search.ts'
import { callingCodes } from '../../lib/phone/numbering-plans.ts'
import { isCallable } from '../../lib/phone/read-digits.ts'
import { createEntryReadings, numbersSql, ownOnlyNumbers } from '../table/entry-readings.ts'
import { mayHaveFrom } from '../table/blocked-numbers.ts'
import { createHashedHolds } from '../table/hashed-holds.ts'
import { createOtherReadings, createOtherReadingWrites } from './other-readings.ts'
import { createImportUndo } from './import-undo.ts'
import { createPersonErasure } from './person-erasure.ts'
import { createTagUndo } from './tag-undo.ts'
import type { StoreFunctions, MarkSource } from './protocol.ts'
import { type Database, openReader } from '../../database/open.ts'

/** Calls of the thread on open databases. */
export type ContactWriter = Omit<StoreFunctions, 'open' | 'close' | 'truncateLog'> & {
  forgetTags: ReturnType<typeof createTagUndo>['forget']
}

const notFound = () => new AppError('NOT_FOUND', { what: { key: 'what.contact' } })

/** The only writer of the store; each call is one transaction. */
export function createContactWriter(tables: ContactTables, searchDb: () => Database): ContactWriter {
  const contactsDb = tables.db
  let search: ContactSearch | null = null
  const undo = createImportUndo(tables)
  const person = createPersonErasure(tables)
  const tagUndo = createTagUndo(tables)
  const addTrash = contactsDb.prepare<[number, string, string]>(
    'INSERT INTO trash (contact_id, batch_id, contact_json) VALUES (?, ?, ?)',
  )
  const readTrash = contactsDb.prepare<[string], { contactId: number; contactJson: string }>(
    'SELECT contact_id AS contactId, contact_json AS contactJson FROM trash WHERE batch_id = ?',
  )
  const dropTrash = contactsDb.prepare<[string]>('DELETE FROM trash WHERE batch_id = ?')
  const setMark = contactsDb.prepare<{ bit: number; digits: number }>(
    'UPDATE contacts SET marks = marks | @bit WHERE digits = @digits AND marks & @bit = 0',
  )
  const clearMark = contactsDb.prepare<{ bit: number; digits: number }>(
    'UPDATE contacts SET marks = marks & ~@bit WHERE digits = @digits AND marks & @bit <> 0',
  )

  const otherReadings = createOtherReadings(contactsDb)
  const otherWrites = createOtherReadingWrites(contactsDb)
  const allDigits = contactsDb.prepare<[], number>('SELECT digits FROM contacts').pluck()

  /**
   * Numbers of contacts that a list blocks or may block; among them all numbers of the list. Those on hold as a hash are sought among the
   * marked only: a contact gets that mark when it is stored, and hashing a million numbers takes seconds.
   */
  function wantedBy({ file, list }: MarkSource, marked: readonly number[]): Set<number> {
    const { db, close } = openReader(file)
    try {
      const wanted = new Set(db.prepare<[], number>(numbersSql(list)).pluck().all())
      const has = (digits: number) => wanted.has(digits)
      const mayHave = mayHaveFrom(db, list, has)
      const ownOnly = ownOnlyNumbers(db, list)
      const further: number[] = []
      for (const digits of allDigits.iterate()) if (mayHave(digits)) further.push(digits)
      for (const [digits, other] of otherReadings.all())
        if ((has(other) && !ownOnly.has(other)) || mayHave(other)) further.push(digits)
      for (const digits of further) wanted.add(digits)
      if (list === 'held') {
        const isHashed = createHashedHolds(db).toTest()
        for (const digits of marked)
          if ([digits, ...otherReadings.of(digits)].some(isHashed)) wanted.add(digits)
      }
      return wanted
    } finally {
      close()
    }
  }

  /** Numbers of the contacts that may have a number; among them the number itself. */
  function ownersOf(number: number): number[] {
    const owners = [number, ...otherReadings.owners(number)]
    return isCallable(number)
      ? owners
      : [...owners, ...callingCodes.map((code) => Number(`${code}${number}`))]
  }

  function checkFree(draft: StoreDraft, id: number | null): void {
    const other = tables.idOf(draft.digits)
    if (other !== undefined && other !== id)
      throw new AppError('CONTACT_EXISTS', {
        phone: `+${draft.digits}`,
        name: tables.stored(other)?.name ?? '',
      })
  }

  /** Whether a contact equals what the service got. */
  const isAsSent = (
    { name, email, tagSet }: StoredContact,
    sent: NonNullable<OutboxEffect['sent']>,
  ): boolean => name === sent.name && email === sent.email && tagSet === tables.tagSetOf(sent.tagsJson)

  function change(id: number, nowMs: number, fields: Partial<StoredContact>): void {
    const contact = tables.stored(id)
    if (!contact) throw notFound()
    tables.put({ ...contact, ...fields, updatedMs: nowMs, touched: tables.nextTouched() }, true)
  }

  /** Runs `work` with the current marks of a number. */
  function withMarks<T>(
    sources: Record<Mark, MarkSource>,
    work: (marksOf: (digits: number) => number) => T,
  ): T {
    const readers: ReturnType<typeof openReader>[] = []
    try {
      const tests = Object.entries(marks).map(([mark, bit]) => {
        const { file, list } = sources[mark as Mark]
        const reader = openReader(file)
        readers.push(reader)
        const { blocking, suspecting } = createEntryReadings(reader.db, list)
        const hashed = list === 'held' ? createHashedHolds(reader.db) : null
        const has = (digits: number, isOwn: boolean) =>
          (blocking(digits, isOwn) ?? suspecting(digits) ?? hashed?.sinceMs(digits) ?? null) !== null
        return { bit, has }
      })
      return work((digits) => {
        const numbers = [digits, ...otherReadings.of(digits)]
        const isMarked = ({ has }: (typeof tests)[number]) =>
          numbers.some((number, at) => has(number, at === 0))
        return tests.reduce((all, test) => (isMarked(test) ? all | test.bit : all), 0)
      })
    } finally {
      for (const reader of readers) reader.close()
    }
  }

  const rowOf = (id: number): StoreRow => {
    const row = tables.row(id)
    if (!row) throw notFound()
    return row
  }

  /** New tags replace unreadable ones; otherwise those stay. */
  function retag(json: string, set: Record<string, string>, remove: readonly string[]): string {
    const before = readTagsJson(json)
    if (!before && Object.keys(set).length === 0) return json
    return JSON.stringify(withTags(before ?? {}, set, remove))
  }

  return {
    create: (draft, markBits, nowMs) =>
      tables.write(
        () => {
          checkFree(draft, null)
          const { digits, name, firstName, lastName, email } = draft
          for (const other of draft.others) otherWrites.put(digits, other)
          const id = tables.insert({
            id: null,
            digits,
            name,
            firstName,
            lastName,
            email,
            tagSet: tables.tagSetOf(draft.tagsJson),
            state: 0,
            marks: markBits,
            serviceId: null,
            note: '',
            lastProblem: null,
            importNo: null,
            createdMs: nowMs,
            updatedMs: nowMs,
            touched: tables.nextTouched(),
          })
          return rowOf(id)
        },
        () => true,
      ),

    update: (id, draft, markBits, nowMs) =>
      tables.write(
        () => {
          checkFree(draft, id)
          const { digits, name, firstName, lastName, email, tagsJson } = draft
          const tagSet = tables.tagSetOf(tagsJson)
          for (const other of draft.others) otherWrites.put(digits, other)
          change(id, nowMs, { digits, name, firstName, lastName, email, tagSet, marks: markBits })
          return rowOf(id)
        },
        () => true,
      ),

    setNote: (id, note, nowMs) =>
      tables.write(
        () => {
          change(id, nowMs, { note })
          return null
        },
        () => true,
      ),

    tag: ({ selection, set, remove, afterId, limit, undo: batch }, nowMs) =>
      tables.write(
        () => {
          search ??= createContactSearch(contactsDb, searchDb())
          const ids = search.ids(selection, afterId, limit)
          const count = tagUndo.change(ids, (json) => retag(json, set, remove), batch, nowMs)
          return { seen: ids.length, changed: count, nextAfterId: ids.length < limit ? null : ids.at(-1)! }
        },
        ({ changed: count }) => count > 0,
      ),

    tagBatch: tagUndo.newest,
    undoTags: tagUndo.undo,
    forgetTags: tagUndo.forget,

    trash: (ids, batchId) =>
      tables.write(
        () => {
          let count = 0
          for (const id of ids) {
            const contact = tables.stored(id)
            if (!contact) continue
            addTrash.run(id, batchId, JSON.stringify(contact))
            tables.remove(id)
            count++
          }
          return count
        },
        (count) => count > 0,
      ),

    restore: (batchId, sources) =>
      withMarks(sources, (marksOf) =>
        tables.write(
          () => {
            let restored = 0
            let lost = 0
            for (const { contactJson } of readTrash.all(batchId)) {
              const contact = JSON.parse(contactJson) as StoredContact
              if (tables.idOf(contact.digits) !== undefined) lost++
              else {
                // The request it waited for was undone with it.
                const isWaiting = contact.state === contactStates.indexOf('waiting')
                tables.insert({
                  ...contact,
                  state: isWaiting ? 0 : contact.state,
                  marks: marksOf(contact.digits) | (contact.marks & changedHere),
                  touched: tables.nextTouched(),
                })
                restored++
              }
            }
            dropTrash.run(batchId)
            return { restored, lost }
          },
          ({ restored }) => restored > 0,
        ),
      ),

    purge: (batchId) =>
      tables.write(
        () => dropTrash.run(batchId).changes,
        () => false,
      ),

    applyOutbox(effects) {
      tables.write(
        () => {
          for (const {
            contactId,
            state,
            serviceId,
            problem,
            sent,
            isBehind,
            isElsewhere,
            remove,
          } of effects) {
            if (isElsewhere) continue
            const contact = tables.stored(contactId)
            if (!contact) continue
            if (remove) {
              tables.remove(contactId)
              continue
            }
            // After an undone replacement the old record still exists.
            const isThere = state === 'local' && contact.serviceId !== null && serviceId === undefined
            const isAsThere = sent ? isAsSent(contact, sent) : serviceId === null
            const isAhead = sent ? !isAsThere : isThere && isBehind
            const next = {
              ...contact,
              marks: isAhead
                ? contact.marks | changedHere
                : isAsThere
                  ? contact.marks & ~changedHere
                  : contact.marks,
              state: contactStates.indexOf(isThere ? 'service' : state),
              serviceId: serviceId === undefined ? contact.serviceId : serviceId,
              lastProblem: problem,
              touched: tables.nextTouched(),
            }
            tables.put(next, false)
          }
        },
        () => effects.length > 0,
      )
      return null
    },

    setMarks: ({ mark, add, remove }) =>
      tables.write(
        () => {
          let count = 0
          for (const number of add)
            for (const digits of ownersOf(number)) count += setMark.run({ bit: marks[mark], digits }).changes
          for (const digits of remove) count += clearMark.run({ bit: marks[mark], digits }).changes
          return count
        },
        (count) => count > 0,
      ),

    replaceMarks(mark, source) {
      const bit = marks[mark]
      const marked = contactsDb
        .prepare<[number], number>('SELECT digits FROM contacts WHERE marks <> 0 AND marks & ? <> 0')
        .pluck()
        .all(bit)
      const wanted = wantedBy(source, marked)
      const known = new Set(marked)
      return tables.write(
        () => {
          let count = 0
          for (const digits of marked)
            if (!wanted.has(digits)) count += clearMark.run({ bit, digits }).changes
          for (const digits of wanted) if (!known.has(digits)) count += setMark.run({ bit, digits }).changes
          return count
        },
        (count) => count > 0,
      )
    },

    personTraces: person.traces,
    erasePerson: person.erase,
    undoProgress: undo.progress,
    undoImport: undo.step,
  }
}
