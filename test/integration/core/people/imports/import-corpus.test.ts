import { englishText } from '#electron/contract/phrases.ts'
import { describe, expect, test } from 'vitest'
import { oddFiles, notTables, emptyFiles } from '../../../../unit/lib/csv/corpus.ts'
import { allContacts, importFile, rejectedRows, savedBy, upload } from '../../../../helpers/contact-files.ts'
import { shareSandbox } from '../../../../helpers/test-core.ts'

const shared = shareSandbox()

const rejectedOf = async (importId: string) => {
  const rows = await rejectedRows(shared.rpc, importId)
  return rows.map(({ rowNumber, line, reason }) => [rowNumber, line, englishText(reason!)] as const)
}

const corpus = (name: string) => {
  const found = oddFiles.find((one) => one.name === name)
  if (!found) throw new Error(`no odd file "${name}"`)
  return found.bytes
}

/** One of the worst files for each kind of reason: the rows kept and the reasons for the others. */
const worst: {
  name: string
  kept: [phone: string, name: string][]
  rejected: [rowNumber: number, line: number, why: RegExp][]
}[] = [
  {
    name: 'a quote never closed before rows that are quoted',
    kept: [['+491711234568', 'Bob']],
    rejected: [
      [1, 2, /after a closing quote/],
      [2, 3, /quote is never closed/],
      [4, 5, /an earlier row/],
    ],
  },
  {
    name: 'NULs',
    kept: [['+491711234568', 'Bob']],
    rejected: [[1, 2, /Column 1 has a NUL/]],
  },
  {
    name: 'a cell as long as the row limit',
    kept: [['+491711234568', 'Bob']],
    rejected: [
      [1, 2, /The name is longer than 1,000/],
      [2, 3, /longer than 1 MiB/],
    ],
  },
]

describe('the worst of the odd files, imported', () => {
  test.each(worst)(
    '$name: keeps good rows and lists the others with number and reason',
    async ({ name, kept, rejected }) => {
      const { rpc } = shared
      const { importId, task, record } = await importFile(rpc, `${name}.csv`, corpus(name))
      expect(task).toMatchObject({ state: 'done', problem: null })
      expect(record.counts.invalid + record.counts.duplicateInFile + kept.length).toBe(record.counts.rows)
      expect((await allContacts(rpc)).map((one) => [one.phone, one.name])).toEqual(kept)
      const found = await rejectedOf(importId)
      expect(found.map(([row, line]) => [row, line])).toEqual(rejected.map(([row, line]) => [row, line]))
      for (const [at, [, , why]] of rejected.entries()) expect(found[at]![2]).toMatch(why)
    },
  )
})

describe('files that are not tables', () => {
  test('are refused with a message, and the console keeps working', async () => {
    const { rpc } = shared
    for (const { name, bytes } of notTables.slice(0, 2))
      await expect(rpc.imports.inspect({ fileId: await upload(rpc, name, bytes) })).rejects.toMatchObject({
        code: 'IMPORT_FILE_NOT_TEXT',
      })
    for (const { name, bytes } of emptyFiles.slice(0, 2))
      await expect(rpc.imports.inspect({ fileId: await upload(rpc, name, bytes) })).rejects.toMatchObject({
        code: 'IMPORT_FILE_EMPTY',
      })
    const wide = Array.from({ length: 501 }, (_, at) => `c${at}`).join(',')
    await expect(rpc.imports.inspect({ fileId: await upload(rpc, 'wide.csv', wide) })).rejects.toMatchObject({
      code: 'IMPORT_TOO_WIDE',
      data: { columns: 501, max: 500 },
    })
    const { fileId } = await rpc.files.begin({ name: 'half.csv', sizeBytes: 100 })
    await expect(rpc.imports.inspect({ fileId })).rejects.toMatchObject({ code: 'FILE_OUT_OF_STEP' })
    expect((await rpc.contacts.summary()).total).toBe(0)
  })
})

describe('rejected rows', () => {
  test('are saved unchanged, however long, wide or odd', async () => {
    const { rpc } = shared
    const note = `${'long '.repeat(500)}\u2028 and a line of Unicode`
    const file = [
      'name,phone,note',
      `Ada,12,"${note}"`,
      'Bob,+491711234568,x,more,and more',
      'Eve,13,\u2029',
    ].join('\n')
    const { importId, record } = await importFile(rpc, 'odd.csv', file, {
      columns: [{ to: 'name' }, { to: 'phone' }, { to: 'note' }],
    })
    expect(record.counts).toMatchObject({ rows: 3, invalid: 3 })
    const shown = await rpc.imports.rejected({ importId, limit: 10 })
    expect(shown.items[0]!.cells[2]!.length).toBe(501)
    expect(shown).toMatchObject({ total: 3, items: { length: 3 }, nextCursor: null })
    const csv = await savedBy(rpc, await rpc.imports.exportRejected({ importId }))
    expect(csv).toContain(note)
    const fixed = csv.replace('"12"', '"+491711234567"').replace('"13"', '"+491711234569"')
    const again = await importFile(rpc, 'fixed.csv', fixed, { duplicatesInContacts: 'update' })
    expect(again.record.counts).toMatchObject({ rows: 3, new: 3, invalid: 0 })
    const [ada] = await allContacts(rpc)
    expect((await rpc.contacts.get({ id: ada!.id })).note).toBe(note)
  })

  test('of an already saved list replace its old reasons on every round', async () => {
    const { rpc } = shared
    const save = async (importId: string) => savedBy(rpc, await rpc.imports.exportRejected({ importId }))
    const file = 'name,phone\nAda,12\nEve,x\nBob,\nIda,13,beyond\n'
    let text = await save((await importFile(rpc, 'first.csv', file)).importId)
    for (const name of ['second.csv', 'third.csv']) {
      text = await save((await importFile(rpc, name, text)).importId)
      const [header, ada] = text.split('\r\n')
      expect(header).toBe('\ufeff"name","phone","Column 3","row","outcome","reason"')
      expect(ada).toMatch(/^"Ada","12","","2","invalid","[^"]+"$/)
    }
    expect(text).toContain('"Ida","13","beyond","5","invalid"')
  })

  test('keep columns of the file that are named like the reason columns', async () => {
    const { rpc } = shared
    const { importId } = await importFile(rpc, 'own.csv', 'phone,row,outcome,reason\n12,a,b,c\n', {
      columns: [{ to: 'phone' }, { to: 'ignore' }, { to: 'ignore' }, { to: 'note' }],
    })
    const saved = await savedBy(rpc, await rpc.imports.exportRejected({ importId }))
    expect(saved).toContain('"12","a","b","c","2","invalid",')
  })
})
