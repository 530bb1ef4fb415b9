import { describe, expect, test } from 'vitest'
import { notTables, emptyFiles } from '../../../../unit/lib/csv/corpus.ts'
import { allContacts, importFile, savedBy, upload } from '../../../../helpers/contact-files.ts'
import { shareSandbox } from '../../../../helpers/test-core.ts'

const shared = shareSandbox()

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
