import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import type { RecipientSource, ValueSource } from '#contract/people/templates.ts'
import { confirmSend, dryRun, peopleIn, sendTo } from '../../../../helpers/bulk-sends.ts'
import { choicesFor, everyone, openTable, upload } from '../../../../helpers/contact-files.ts'
import { json } from '../../../../helpers/fixture-service.ts'
import { type Rpc } from '../../../../helpers/start-core.ts'
import { shareWithTemplate } from '../../../../helpers/recording-service.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'
import { workbookParts, zipOf } from '../../../../helpers/zip-of.ts'

/** A console with a number template, connected to a service that only records. */
const open = shareWithTemplate({
  name: 'Debt',
  body: 'You owe {{Betrag}} EUR',
  variables: [{ name: 'Betrag', type: 'number' }],
})

async function fileOf(rpc: Rpc, amounts: readonly string[]): Promise<RecipientSource> {
  const lines = amounts.map((amount, at) => `Person ${at};+49 30 90182000${at};${amount}`)
  return peopleIn(await upload(rpc, 'amounts.csv', ['Name;Telefon;Betrag', ...lines].join('\n')))
}

const plan = (rpc: Rpc, key: number, source: RecipientSource, from: ValueSource) =>
  dryRun(rpc, { key, source, mapping: [{ name: 'Betrag', source: from }] })

/** The decimal mark that a source's amounts show, with samples where both fit. */
const decimals = async (rpc: Rpc, source: RecipientSource, from: ValueSource = column) =>
  (await rpc.templates.decimals({ source, mapping: [{ name: 'Betrag', source: from }] })).items

/** Queues a send; the amounts that the service got, as written in its requests. */
async function arrived(
  { rpc, service }: Pick<ReturnType<typeof open>, 'rpc' | 'service'>,
  id: string,
  count: number,
) {
  await confirmSend(rpc, id, { uncheckedKnowingly: true })
  const sent = () => service.asked('POST /ott/messages')
  for await (const _ of await rpc.outbox.watch()) if (sent().length === count) break
  return sent()
    .map(({ body }) => /"Betrag":([^}]*)/.exec(body)?.[1])
    .sort()
}

type Cell = string | number

/** A workbook's table with these amounts and remarks. */
async function workbookOf(rpc: Rpc, rows: readonly (readonly Cell[])[]): Promise<RecipientSource> {
  const lines = rows.map((cells, at) => [`Person ${at}`, `+49 30 90182000${at}`, ...cells])
  const book = await writeXlsx({
    sheets: [{ name: 'People', rows: [['Name', 'Telefon', 'Betrag'], ...lines] }],
  })
  return peopleIn((await openTable(rpc, await upload(rpc, 'amounts.xlsx', Buffer.from(book)))).fileId)
}

const column: ValueSource = { from: 'column', column: 2 }
const germanAmounts = ['12,50 €', 'EUR 1.500', '1.234,50', '12.50', '7', '$4'] as const

test('sends amounts by the decimal mark of the whole column, and refuses another currency', async () => {
  const { rpc, key, service } = open()
  const source = await fileOf(rpc, germanAmounts)
  expect(await decimals(rpc, source)).toMatchObject([{ mark: 'comma' }])
  const { send, first, leftOut } = await plan(rpc, key, source, column)
  expect(first.map(({ values }) => values[0]?.value)).toEqual(['12.50', 1500, '1234.50', 7])
  expect(leftOut).toMatchObject([
    { leftOut: 'bad-value', reason: { text: '12.50' } },
    { leftOut: 'bad-value', reason: { text: '$4', reason: { key: 'number.currency', currency: '€' } } },
  ])
  expect(await arrived({ rpc, service }, send.id, 4)).toEqual(['12.50', '1234.50', '1500', '7'])
})

test('sends the numbers of a workbook as they are stored, beside texts with commas', async () => {
  const { rpc, key, service } = open()
  const source = await workbookOf(rpc, [[1.234], ['1,5'], [12.5], ['1.500'], [1500], ['#N/A'], [0.07]])
  expect(await decimals(rpc, source)).toMatchObject([{ mark: 'comma' }])
  const { send, leftOut } = await plan(rpc, key, source, column)
  expect(leftOut).toMatchObject([{ leftOut: 'bad-value', reason: { key: 'plan.cellError', text: '#N/A' } }])
  expect(await arrived({ rpc, service }, send.id, 6)).toEqual([
    '0.07',
    '1.234',
    '1.5',
    '12.5',
    '1500',
    '1500',
  ])
})

/** Cells as Excel stores them: `s` is a format of `cellStyles`, `t` the type. */
const cellStyles = `<cellXfs>${[0, 14, 9, 4].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`
const storedCells = [
  '<c s="1"><v>46024</v></c>',
  '<c t="b"><v>1</v></c>',
  '<c s="2"><v>0.15</v></c>',
  '<c s="3"><v>12.5</v></c>',
  '<c s="3"><f>0.1+0.2</f><v>0.30000000000000004</v></c>',
  ...['#DIV/0!', '#BUSY!', '#GETTING_DATA'].map((error) => `<c t="e"><f>A1</f><v>${error}</v></c>`),
  '<c t="str"><f>A1</f><v>Err:502</v></c>',
]

test('sends dates, percentages and amounts of a workbook as shown, and never an error', async () => {
  const { rpc, key: numberKey, service } = open()
  service.on('POST /templates', json(201, { id: 't-2', name: 'Notice', variables: { Betrag: 'string' } }))
  const { key } = await rpc.templates.create({
    name: 'Notice',
    body: 'Note: {{Betrag}}',
    variables: [{ name: 'Betrag', type: 'string' }],
  })
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
  const rows = storedCells.map(
    (cell, at) => `<row>${text('Ann')}${text(`+49 30 90182000${at}`)}${cell}</row>`,
  )
  const header = `<row>${['Name', 'Telefon', 'Betrag'].map(text).join('')}</row>`
  const book = zipOf(workbookParts({ People: header + rows.join('') }, { styles: cellStyles }))
  const { fileId } = await openTable(rpc, await upload(rpc, 'notes.xlsx', book))
  const source = peopleIn(fileId)
  const errors = ['#DIV/0!', '#BUSY!', '#GETTING_DATA', 'Err:502'].map((error) => ({
    leftOut: 'bad-value',
    reason: { key: 'plan.cellError', text: error },
  }))

  const asNumber = await plan(rpc, numberKey, source, column)
  expect(asNumber.first.map(({ values }) => values[0]?.value)).toEqual(['12.50', '0.30'])
  expect(asNumber.leftOut).toMatchObject([
    ...['2026-01-02', 'TRUE', '15%'].map((shown) => ({ leftOut: 'bad-value', reason: { text: shown } })),
    ...errors,
  ])

  const { send, leftOut } = await plan(rpc, key, source, column)
  expect(leftOut).toMatchObject(errors)
  expect(send.mixed).toEqual([])
  const mixed = await plan(rpc, key, await fileOf(rpc, ['1178.89 €', '7', '1.191,45 €']), column)
  expect(mixed.send.mixed).toEqual([{ name: 'Betrag', point: '1178.89 €', comma: '1.191,45 €' }])
  expect(await arrived({ rpc, service }, send.id, 5)).toEqual(
    ['0.30', '12.50', '15%', '2026-01-02', 'TRUE'].map((shown) => JSON.stringify(shown)),
  )
})

test('sends one message to a line in two spellings, and says why', async () => {
  const { rpc, key, service } = open()
  const argentine = ['+5491157447700', '+541157447700']
  const gabonese = ['+24107123456', '+24177123456']
  // A landline and a mobile.
  const italian = ['+3903311234567', '+393311234567']
  const numbers = [...argentine, ...gabonese, ...italian]
  const lines = numbers.map((number, at) => `Person ${at};${number};${at}`)
  const source = peopleIn(await upload(rpc, 'lines.csv', ['Name;Telefon;Betrag', ...lines].join('\n')))
  const { send, leftOut } = await plan(rpc, key, source, column)
  expect(leftOut).toMatchObject(
    ['5491157447700', '24107123456'].map((digits) => ({
      leftOut: 'repeated',
      reason: { key: 'plan.sameLine', digits },
    })),
  )
  expect(await arrived({ rpc, service }, send.id, 4)).toEqual(['0', '2', '4', '5'])
})

test('asks when both decimal marks fit, and sends by the answer', async () => {
  const { rpc, key, service } = open()
  const source = await fileOf(rpc, ['1.500', '2.000', '3'])
  expect(await decimals(rpc, source)).toEqual([
    {
      name: 'Betrag',
      mark: null,
      samples: [
        { written: '1.500', point: '1.500', comma: '1500' },
        { written: '2.000', point: '2.000', comma: '2000' },
      ],
    },
  ])
  expect((await plan(rpc, key, source, column)).task).toMatchObject({ state: 'failed' })
  const { send, first } = await plan(rpc, key, source, { ...column, decimals: 'comma' })
  expect(first.map(({ values }) => values[0]?.value)).toEqual([1500, 2000, 3])
  expect(await arrived({ rpc, service }, send.id, 3)).toEqual(['1500', '2000', '3'])
})

test('reads the tags of the selected contacts only, and asks when they fit both marks', async () => {
  const { rpc, key, service } = open()
  for (const [at, debt] of ['1.500', '2.000', 'none', '', '12,50'].entries())
    await rpc.contacts.create({
      name: debt === '12,50' ? 'Other' : `Debtor ${at}`,
      phone: `+49309018200${at}0`,
      email: '',
      tags: debt === '' ? {} : { debt },
    })
  const of = (text?: string): RecipientSource => ({
    contacts: { filter: text === undefined ? {} : { text }, exceptIds: [] },
  })
  const tag: ValueSource = { from: 'tag', key: 'debt' }
  const markOf = async (source: RecipientSource) => (await decimals(rpc, source, tag))[0]?.mark
  expect(await markOf(of('debtor'))).toBeNull()
  expect(await markOf(of()), 'one more contact shows the mark').toBe('comma')
  expect((await plan(rpc, key, of('debtor'), tag)).task).toMatchObject({ state: 'failed' })
  const { send, leftOut } = await plan(rpc, key, of('debtor'), { ...tag, decimals: 'comma' })
  expect(leftOut).toMatchObject([
    { leftOut: 'bad-value', reason: { text: 'none', reason: { key: 'number.notNumber' } } },
    { leftOut: 'missing-value' },
  ])
  expect(await arrived({ rpc, service }, send.id, 2)).toEqual(['1500', '2000'])
})

test('never takes the point of a workbook’s number in a tag for a group of digits', async () => {
  const { rpc, key, service } = open()
  const source = await workbookOf(rpc, [[1.234], ['1.234,50'], [12.125], [7]])
  const { fileId } = (source as { file: { fileId: string } }).file
  const { importId, choices } = await choicesFor(rpc, fileId)
  const columns = choices.columns.with(2, { to: 'tag', tagKey: 'debt' })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices: { ...choices, columns } })).taskId)
  const all: RecipientSource = { contacts: everyone }
  const { send, leftOut } = await plan(rpc, key, all, { from: 'tag', key: 'debt', decimals: 'comma' })
  expect(leftOut).toMatchObject(
    ['1.2340', '12.1250'].map((text) => ({ leftOut: 'bad-value', reason: { text } })),
  )
  expect(await arrived({ rpc, service }, send.id, 2)).toEqual(['1234.50', '7'])
})

test('refuses a typed number with two meanings', async () => {
  const { rpc, key } = open()
  const order = { key, to: '+4930901820001', uncheckedKnowingly: true }
  const typed = (value: string) => sendTo(rpc, { ...order, values: [{ name: 'Betrag', value }] })
  await expect(typed('1.500')).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await expect(typed('12 pcs')).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await typed('12,50')
})
