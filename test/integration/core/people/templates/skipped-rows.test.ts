import { expect, test } from 'vitest'
import { dryRun, peopleIn } from '../../../../helpers/bulk-sends.ts'
import { savedBy, upload } from '../../../../helpers/contact-files.ts'
import { startInSandbox } from '../../../../helpers/test-core.ts'

/** A console that runs dry runs of files with one template and saves the skipped recipients. */
async function open() {
  const { rpc } = await startInSandbox({ sandbox: { contactsCount: 0, dncCount: 5 } })
  const { key } = await rpc.templates.create({
    name: 'Sum',
    body: '{{vorname}}: {{betrag}}',
    variables: [
      { name: 'vorname', type: 'string' },
      { name: 'betrag', type: 'number' },
    ],
  })
  const mapping = [
    { name: 'vorname', source: { from: 'column' as const, column: 0 } },
    { name: 'betrag', source: { from: 'column' as const, column: 2 } },
  ]
  return {
    plan: async (text: string, headerRow: number) =>
      dryRun(rpc, { key, source: peopleIn(await upload(rpc, 'list.csv', text), { headerRow }), mapping }),
    saved: async (id: string, what: 'all' | 'left-out') =>
      savedBy(rpc, await rpc.templates.exportResults({ id, what })),
  }
}

const lines = [
  'vorname,mobil,betrag,ort',
  'Ada,0171 2345678,1,Ulm',
  'Bob,12,"2,50",Köln',
  '',
  '=Zoë,0171 2345679,viel,Bonn,mehr',
]

test('saves skipped recipients with their whole rows, ready to repair and send', async () => {
  const { plan, saved } = await open()
  const { id } = await plan(lines.join('\n'), 1)
  const text = await saved(id, 'left-out')
  const [header, bob, zoe, ...rest] = text.replace('\ufeff', '').trim().split('\r\n')
  expect(rest).toEqual([])
  expect(header).toBe('"vorname","mobil","betrag","ort","Column 5","row","outcome","reason"')
  expect(bob).toMatch(/^"Bob","12","2,50","Köln","","3","skipped","[^"]+"$/)
  expect(zoe).toMatch(/^"''=Zoë","0171 2345679","viel","Bonn","mehr","5","skipped",".*betrag.*"$/)

  const mended = text.replace('"12"', '"0171 2345670"').replace('2,50', '2.50').replace('viel', '3')
  const again = await plan(mended, 1)
  expect(again.send.counts).toMatchObject({ recipients: 2, willSend: 2 })
  expect(again.first.map(({ values }) => values.map(({ value }) => value))).toEqual([
    ['Bob', '2.50'],
    ['=Zoë', 3],
  ])
  // The next round replaces the reasons of this one.
  const twice = await plan(text, 1)
  expect((await saved(twice.id, 'left-out')).split('\r\n')[0]!.match(/"reason"/g)).toHaveLength(1)

  const results = await saved(id, 'all')
  expect(results).toMatch(/"12","Bob","Bob","2,50","skipped"/)
})

test('numbers the rows of a dry run as a spreadsheet does', async () => {
  const { plan } = await open()
  const withHeader = await plan(lines.join('\n'), 1)
  expect(withHeader.leftOut.map(({ at, name }) => [at, name])).toEqual([
    [3, 'Bob'],
    [5, '=Zoë'],
  ])
  const without = await plan(lines.slice(1).join('\n'), 0)
  expect(without.leftOut.map(({ at }) => at)).toEqual([2, 4])
})
