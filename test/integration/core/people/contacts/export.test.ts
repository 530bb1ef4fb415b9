import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { ContactColumn, ContactSelection } from '#contract/people/contacts.ts'
import { createRowReader } from '#electron/lib/csv/row-reader.ts'
import { seededRandom } from '#electron/lib/random.ts'
import {
  allContacts,
  choicesFor,
  download,
  everyone,
  importFile,
  openTable,
  upload,
} from '../../../../helpers/contact-files.ts'
import { shareSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const shared = shareSandbox()
afterEach(() => speak('en'))
const speak = (language: 'en' | 'es') =>
  shared.rpc.settings.setAppearance({ theme: 'system', density: 'compact', language })

const columns: ContactColumn[] = ['name', 'phone', 'email', 'tags', 'note']

async function exported(selection: ContactSelection, tagColumns = false): Promise<Buffer> {
  const { rpc } = shared
  const { taskId } = await rpc.contacts.export({ selection, columns, tagColumns })
  const task = await taskEnd(rpc, taskId)
  expect(task).toMatchObject({ state: 'done', problem: null })
  return download(rpc, task.refId!)
}

function rowsOf(csv: Buffer): string[][] {
  const rows: string[][] = []
  const reader = createRowReader(',', ({ cells }) => rows.push(cells))
  reader.push(csv.toString())
  reader.end()
  return rows
}

const signs = [
  ...['"', '""', "'", ',', ';', '|', '\t', '\r', '\n', '\r\n', '\u2028', '\u0085', '\u000b', '\u00a0', ' '],
  ...['=', '+', '-', '@', '=1+1', '+491711234567', '@SUM(1)', '\\', '%', '\u0001', '\ufffd', '\u202e'],
  ...['\ufeff', '\u001b[31m', 'ä', 'ẞ', '👩‍🚀', 'שלום', '𝒜', 'e\u0301', '<b>', '{}', '[]', 'null'],
  ...['a=b;c', 'sep=;', 'x', '0', '٣'],
]

/** Texts with every character: alone, first, last, doubled, and many at random. */
function* oddTexts(): Generator<string> {
  for (const sign of signs)
    yield* [sign, `${sign}x`, `x${sign}`, `${sign}${sign}`, `'${sign}`, `''${sign}`, `x${sign}y`]
  const random = seededRandom(7)
  for (let at = 0; at < 60; at++)
    yield Array.from({ length: 5 }, () => signs[Math.floor(random() * signs.length)]!).join('')
  yield 'line\n'.repeat(3_000)
}

/** An import takes names with single blanks. */
const tidy = (name: string) => name.replace(/[^\S\r\n]+/gu, ' ').trim()
const withTidyName = ([name, ...others]: string[]) => [tidy(name!), ...others]

const phoneOf = (at: number) => `+49171${2_000_000 + at}`

/** One contact per text: its name, its note, its tag's key and value. */
async function addOdd(most: number): Promise<number> {
  const { rpc } = shared
  let count = 0
  for (const text of [...oddTexts()].slice(-most)) {
    const isShort = text.length <= 200
    const { contact } = await rpc.contacts.create({
      name: isShort ? text : '',
      phone: phoneOf(count),
      email: count % 7 === 0 ? `=${count}+1@x.example` : '',
      tags: isShort ? { [text]: text, k: text } : { long: text },
    })
    if (count % 2 === 0 || !isShort) await rpc.contacts.setNote({ id: contact.id, note: text })
    count++
  }
  return count
}

describe('an export', () => {
  test.each([
    [false, 'en', Infinity],
    // An import reads few tag columns.
    [true, 'es', 100],
  ] as const)(
    'imports again with any content, byte for byte but for blanks in names (a column per tag: %s, titles: %s)',
    async (tagColumns, language, most) => {
      const { rpc } = shared
      await speak(language)
      const count = await addOdd(most)
      const before = await allContacts(rpc)
      const csv = await exported(everyone, tagColumns)
      const rows = rowsOf(csv)
      const titles = { en: ['name', 'phone'], es: ['nombre', 'telefono'] }
      expect(rows[0]!.slice(0, 2)).toEqual(titles[language])
      expect(rows.length).toBe(count + 1)
      for (const cell of rows.flat())
        if (!/^\+[0-9]{6,15}$/.test(cell)) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/)
      const details = await Promise.all(before.slice(0, 20).map(({ id }) => rpc.contacts.get({ id })))
      await rpc.contacts.delete({ selection: everyone })

      const { record } = await importFile(rpc, 'again.csv', csv)
      expect(record.counts).toMatchObject({ rows: rows.length - 1, new: rows.length - 1, invalid: 0 })
      const rowsAgain = rowsOf(await exported(everyone, tagColumns))
      expect(rowsAgain.map(withTidyName)).toEqual(rows.map(withTidyName))
      const after = await allContacts(rpc)
      for (const [at, { contact, note }] of details.entries()) {
        const again = await rpc.contacts.get({ id: after[at]!.id })
        expect([tidy(again.contact.name), again.contact.email, again.note]).toEqual([
          tidy(contact.name),
          contact.email,
          note,
        ])
        expect(again.contact.tags).toEqual(contact.tags)
      }
    },
  )

  test('as a workbook has cells of text only, which import unchanged', async () => {
    const { rpc } = shared
    const odd = [phoneOf(0), '=1+1', '007', '+1 202 555 0101', "''=x", 'a\u0001b', ' two\nlines ', '<&">']
    for (const [at, name] of odd.entries())
      await rpc.contacts.create({ name, phone: phoneOf(at), email: '', tags: { at: String(at) } })
    const before = await allContacts(rpc)
    const { taskId } = await rpc.contacts.export({
      selection: everyone,
      columns,
      tagColumns: true,
      format: 'xlsx',
    })
    const task = await taskEnd(rpc, taskId)
    expect(task).toMatchObject({ state: 'done', subject: expect.stringMatching(/^contacts-.*\.xlsx$/) })
    const bytes = await download(rpc, task.refId!)

    await rpc.contacts.delete({ selection: everyone })
    const table = await openTable(rpc, await upload(rpc, 'contacts.xlsx', bytes))
    const { importId, choices } = await choicesFor(rpc, table.fileId)
    await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
    const again = await allContacts(rpc)
    const told = (contacts: typeof before) => contacts.map(({ name, phone, tags }) => [name, phone, tags])
    expect(told(again)).toEqual(told(before))
    await taskEnd(rpc, (await rpc.imports.undo({ importId })).taskId)
  })

  test('leaves no partial file when cancelled', async () => {
    const { rpc } = shared
    const rows = Array.from({ length: 10_000 }, (_, at) => `Person ${at},${phoneOf(at)}`)
    const { importId } = await importFile(rpc, 'many.csv', ['name,phone', ...rows].join('\n'))
    for (const format of ['csv', 'xlsx'] as const) {
      const order = { selection: everyone, columns, tagColumns: false, format }
      const { taskId } = await rpc.contacts.export(order)
      await rpc.tasks.cancel({ id: taskId })
      await taskEnd(rpc, taskId)
    }
    const folder = join(shared.dataDir, 'connections', 'sandbox', 'files')
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
    await taskEnd(rpc, (await rpc.imports.undo({ importId })).taskId)
  })
})
