import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '#electron/database/open.ts'
import { contactsIn, openContacts } from '../../../helpers/open-contacts.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'
import { openIndex, settle } from './index-fixture.ts'

describe('an index that does not match its contacts', () => {
  /** New contacts beside the index of others. */
  function replaced() {
    const [old, now] = [filled('zebra'), openContacts()]
    settle(old.start())
    return { both: filled('okapi', now, old.searchDb), now }
  }
  const figures = ({ searchDb }: ReturnType<typeof openIndex>) =>
    searchDb.prepare('SELECT touched, last_id AS lastId FROM progress').get()
  const generationOf = (contactsDb: Database) =>
    contactsDb.prepare('SELECT generation FROM store').pluck().get()
  function filled(name: string, contacts?: ReturnType<typeof openContacts>, searchDb?: Database) {
    const both = openIndex(contacts, searchDb)
    both.write(() => {
      for (let at = 0; at < 3_000; at++) both.add(name)
      both.rename(1_000, `${name} too`)
    })
    return both
  }
  /** At every step of the remaining work, nothing incomplete is reported as complete. */
  function expectRebuilt(both: ReturnType<typeof openIndex>, { name, left }: { name: string; left: string }) {
    let index = both.start()
    let complete = false
    let starts = 0
    for (let more = true; more; index = both.start()) {
      expect(++starts).toBeLessThan(20)
      const found = both.candidates(name)
      complete ||= found.complete
      expect(found.complete).toBe(complete)
      if (complete) expect(both.holders(name).filter((id) => !found.ids.has(id))).toEqual([])
      more = index.step() || index.tidy()
    }
    expect(both.candidates(name)).toEqual({ ids: new Set(both.holders(name)), complete: true })
    expect(both.candidates(left).ids.size).toBe(0)
    expect(both.indexed()).toBe(both.names.size)
  }

  test('is rebuilt after the contacts were replaced, interrupted or not', () => {
    const { both, now } = replaced()
    // Both have the same number of contacts.
    settle(openIndex(now).start())
    expect(figures(both)).toEqual(figures(openIndex(now)))
    expectRebuilt(both, { name: 'okapi', left: 'zebra' })
  })

  test('is rebuilt when it holds texts of another version of the fold', () => {
    const both = filled('zebra')
    const { contactsDb } = both
    settle(both.start())
    // Same contacts, other texts: only the version tells.
    contactsDb.exec("UPDATE contacts SET name = replace(name, 'zebra', 'okapi')")
    for (const [id, name] of both.names) both.names.set(id, name.replace('zebra', 'okapi'))
    settle(both.start())
    expect(both.candidates('okapi').ids.size).toBe(0)
    both.searchDb.prepare('UPDATE progress SET generation = ?').run(generationOf(contactsDb))
    expectRebuilt(both, { name: 'okapi', left: 'zebra' })
  })

  test('keeps its content until the rebuild is recorded', () => {
    const { both } = replaced()
    both.searchDb.exec(`
      CREATE TEMP TRIGGER refusing BEFORE UPDATE ON progress BEGIN SELECT RAISE(ABORT, 'not now'); END`)
    expect(() => both.start()).toThrow('not now')
    expect(both.candidates('zebra').ids.size).toBe(3_000)
    both.searchDb.exec('DROP TRIGGER refusing')
    expectRebuilt(both, { name: 'okapi', left: 'zebra' })
  })

  test.each(['contacts', 'changes'])(
    'is rebuilt after the contacts went back to before the last %s',
    (what) => {
      const contacts = openContacts()
      const both = filled('zebra', contacts)
      const earlier = join(tempFolder(), 'contacts.db')
      contacts.contactsDb.prepare('VACUUM INTO ?').run(earlier)
      both.write(() => {
        if (what === 'contacts') both.add('okapi')
        else both.rename(2_000, 'okapi')
      })
      settle(both.start())
      expect(both.candidates('okapi').ids.size).toBe(1)
      const again = openDatabase({ file: earlier, schema: 'contacts', log: quietLog })
      onTestFinished(again.close)
      const restored = openIndex(contactsIn(contacts.open, again.db), both.searchDb)
      for (let id = 1; id <= 3_000; id++) restored.names.set(id, id === 1_000 ? 'zebra too' : 'zebra')
      expectRebuilt(restored, { name: 'zebra', left: 'okapi' })
    },
  )

  test('is rebuilt after a salvage of the contacts and follows later changes', () => {
    const contacts = openContacts()
    const { open, contactsDb } = contacts
    const before = filled('zebra', contacts)
    settle(before.start())
    const whole = generationOf(contactsDb)
    const page = contactsDb
      .prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'contacts_by_name'")
      .pluck()
      .get()!
    contactsDb.close()
    const bytes = readFileSync(contactsDb.name)
    writeFileSync(contactsDb.name, bytes.fill(0xff, (page - 1) * 4096, page * 4096))
    const again = open('contacts')
    expect(generationOf(again)).not.toBe(whole)
    const both = openIndex(contactsIn(open, again), before.searchDb)
    for (const [id, name] of before.names) both.names.set(id, name)
    expectRebuilt(both, { name: 'zebra', left: 'okapi' })
    const index = both.start()
    both.write(() => both.rename(2_000, 'okapi'))
    settle(index)
    expect(both.candidates('okapi').ids).toEqual(new Set([2_000]))
  })
})
