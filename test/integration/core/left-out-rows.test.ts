import { expect, onTestFinished, test } from 'vitest'
import { type Rpc, startCore } from '../../helpers/start-core.ts'

async function ended(rpc: Rpc, taskId: string): Promise<void> {
  for await (const { tasks } of await rpc.tasks.watch())
    if (tasks.some(({ id, endedAt }) => id === taskId && endedAt !== null)) return
}

/** A console that makes dry runs of files to one template. */
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

  async function dryRun(text: string, hasHeader: boolean) {
    const bytes = Buffer.from(text)
    const { fileId } = await rpc.files.begin({ name: 'list.csv', sizeBytes: bytes.length })
    await rpc.files.append({ fileId, offset: 0, base64: bytes.toString('base64') })
    const reading = { region: 'DE', doubleZeroIsPlus: true, ownCodeIsPlus: false }
    const send = await rpc.templates.prepare({
      key,
      channelId,
      subject: 'list.csv',
      source: { file: { fileId, hasHeader, phoneColumn: 1, nameColumn: 0, ...reading } },
      mapping: [
        { name: 'vorname', source: { from: 'column', column: 0 } },
        { name: 'betrag', source: { from: 'column', column: 2 } },
      ],
    })
    await ended(rpc, send.taskId!)
    return rpc.templates.sendOf({ id: send.id })
  }
  return { dryRun }
}

const lines = [
  'vorname,mobil,betrag,ort',
  'Ada,0171 2345678,1,Ulm',
  'Bob,12,"2,50",Köln',
  '',
  '=Zoë,0171 2345679,viel,Bonn,mehr',
]

test('rows of a dry run are numbered as those of an import: as a spreadsheet does', async () => {
  const { dryRun } = await open()
  const withHeader = await dryRun(lines.join('\n'), true)
  expect(withHeader.leftOut.map(({ at, name }) => [at, name])).toEqual([
    [3, 'Bob'],
    [5, '=Zoë'],
  ])
  const without = await dryRun(lines.slice(1).join('\n'), false)
  expect(without.leftOut.map(({ at }) => at)).toEqual([2, 4])
})
