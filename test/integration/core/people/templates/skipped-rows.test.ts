import { expect, onTestFinished, test } from 'vitest'
import type { BulkSend } from '#contract/people/templates.ts'
import { startCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

/** A console that runs dry runs of files with one template and saves the skipped recipients. */
async function open() {
  const running = await startCore({ sandbox: { contactsCount: 0, dncCount: 5 } })
  onTestFinished(() => running.stop())
  const { rpc } = running
  await rpc.connections.openSandbox()
  const { key } = await rpc.templates.create({
    name: 'Sum',
    body: '{{vorname}}: {{betrag}}',
    variables: [
      { name: 'vorname', type: 'string' },
      { name: 'betrag', type: 'number' },
    ],
  })
  const channelId = (await rpc.templates.channels()).items[0]!.id

  async function dryRun(text: string, headerRow: number) {
    const bytes = Buffer.from(text)
    const { fileId } = await rpc.files.begin({ name: 'list.csv', sizeBytes: bytes.length })
    await rpc.files.append({ fileId, offset: 0, base64: bytes.toString('base64') })
    const reading = { region: 'DE', hasCountryCodes: false }
    const send = await rpc.templates.prepare({
      key,
      channelId,
      subject: 'list.csv',
      source: { file: { fileId, headerRow, phoneColumn: 1, nameColumn: 0, ...reading } },
      mapping: [
        { name: 'vorname', source: { from: 'column', column: 0 } },
        { name: 'betrag', source: { from: 'column', column: 2 } },
      ],
    })
    await taskEnd(rpc, send.taskId!)
    return rpc.templates.sendOf({ id: send.id })
  }
  async function saved({ id }: BulkSend, what: 'all' | 'left-out'): Promise<string> {
    const { taskId } = await rpc.templates.exportResults({ id, what })
    await taskEnd(rpc, taskId)
    const { refId } = await rpc.tasks.get({ id: taskId })
    return Buffer.from((await rpc.files.read({ fileId: refId!, offset: 0 })).base64, 'base64').toString()
  }
  return { dryRun, saved }
}

const lines = [
  'vorname,mobil,betrag,ort',
  'Ada,0171 2345678,1,Ulm',
  'Bob,12,"2,50",Köln',
  '',
  '=Zoë,0171 2345679,viel,Bonn,mehr',
]

test('saves skipped recipients with their whole rows, ready to repair and send', async () => {
  const { dryRun, saved } = await open()
  const { send } = await dryRun(lines.join('\n'), 1)
  const text = await saved(send, 'left-out')
  const [header, bob, zoe, ...rest] = text.replace('\ufeff', '').trim().split('\r\n')
  expect(rest).toEqual([])
  expect(header).toBe('"vorname","mobil","betrag","ort","Column 5","row","outcome","reason"')
  expect(bob).toMatch(/^"Bob","12","2,50","Köln","","3","skipped","[^"]+"$/)
  expect(zoe).toMatch(/^"''=Zoë","0171 2345679","viel","Bonn","mehr","5","skipped",".*betrag.*"$/)

  const mended = text.replace('"12"', '"0171 2345670"').replace('2,50', '2.50').replace('viel', '3')
  const again = await dryRun(mended, 1)
  expect(again.send.counts).toMatchObject({ recipients: 2, willSend: 2 })
  expect(again.first.map(({ values }) => values.map(({ value }) => value))).toEqual([
    ['Bob', '2.50'],
    ['=Zoë', 3],
  ])
  // The next round replaces the reasons of this one.
  const twice = await dryRun(text, 1)
  expect((await saved(twice.send, 'left-out')).split('\r\n')[0]!.match(/"reason"/g)).toHaveLength(1)

  const results = await saved(send, 'all')
  expect(results).toMatch(/"12","Bob","Bob","2,50","skipped"/)
})

test('numbers the rows of a dry run as a spreadsheet does', async () => {
  const { dryRun } = await open()
  const withHeader = await dryRun(lines.join('\n'), 1)
  expect(withHeader.leftOut.map(({ at, name }) => [at, name])).toEqual([
    [3, 'Bob'],
    [5, '=Zoë'],
  ])
  const without = await dryRun(lines.slice(1).join('\n'), 0)
  expect(without.leftOut.map(({ at }) => at)).toEqual([2, 4])
})
