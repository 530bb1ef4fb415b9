import type { ImportChoices } from '#contract/people/imports.ts'
import { expect, onTestFinished, test } from 'vitest'
import { choicesFor, download, upload } from '../../../../helpers/contact-files.ts'
import { startOttService } from '../../../../helpers/ott-service.ts'
import { type Rpc, startCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

async function open(dnc: readonly string[] = []): Promise<Rpc> {
  const service = await startOttService()
  onTestFinished(() => service.stop())
  service.dnc = [...dnc]
  const running = await startCore({})
  onTestFinished(() => running.stop())
  const { rpc } = running
  await rpc.connections.connect({
    name: 'List',
    baseUrl: service.baseUrl,
    colour: 'blue',
    production: false,
    credential: { kind: 'api-key', apiKey: 'k-1' },
  })
  await taskEnd(rpc, (await rpc.dnc.sync()).taskId)
  return rpc
}

/** Imports a file as the page does with what it guessed. @returns the stored numbers by name, and the problems. */
async function imported(rpc: Rpc, text: string, home: string, change: Partial<ImportChoices> = {}) {
  const fileId = await upload(rpc, 'list.csv', text)
  const { reading } = await rpc.imports.guessReading({ source: { fileId, columns: [1] }, region: home })
  const { importId, choices } = await choicesFor(rpc, fileId, {
    columns: [{ to: 'name' }, { to: 'phone' }],
    defaultRegion: reading!.region,
    hasCountryCodes: reading!.hasCountryCodes,
    ...change,
  })
  const { counts } = await rpc.imports.preview({ importId, choices })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  expect((await rpc.imports.get({ importId })).counts).toEqual(counts)
  const { items } = await rpc.contacts.list({
    filter: {},
    sort: { by: 'phone', descending: false },
    limit: 100,
  })
  return { phones: items.map(({ phone }) => phone), problems: counts.problems }
}

test('stores numbers that carry their country code, and decimals that a program added', async () => {
  const rows = [
    ['Anna DE', '4915112345678'],
    ['Gael FR', '33612345678'],
    ['Ivo IT', '393331234567'],
    ['Kim GB', '447911123456'],
    ['Max US', '12025550123'],
    ['Aino FI', '358401234567.0'],
    ['Eero FI', '358405554433.00'],
    ['Budi ID', '"6281234567810,0"'],
    ['Liisa FI', '3.58441112223E+11'],
    ['Outi FI', '+3.58503334445E+11'],
    ['Lost FI', '3.58401E+11'],
  ]
  const text = ['name,phone', ...rows.map((row) => row.join(','))].join('\n')
  expect(await imported(await open(), text, 'DE')).toEqual({
    phones: rows
      .slice(0, -1)
      .map(([, phone]) => {
        const bare = phone!.replaceAll('"', '')
        return `+${Number(bare.replace(',', '.').replace('+', ''))}`
      })
      .sort((a, b) => Number(a) - Number(b)),
    problems: { 'number-rounded': 1 },
  })
})

test('uses the first of several numbers, a number without extension, or an unknown number only by choice', async () => {
  const text = [
    'name,phone',
    'Ann,212-555-0101 212-555-0102',
    'Bob,"212-555-0103, 212-555-0104"',
    'Cid,(212) 555-0105 ::: (212) 555-0106',
    'Dee,"2,125,550,107"',
    'Eve,212-555-0108 x12',
    'Fay,212-155-0109',
    'Gus,+1 212 155 0110',
    'Hal,212-55',
  ].join('\n')
  expect(await imported(await open(), text, 'US')).toEqual({
    phones: ['+12125550107'],
    problems: { 'number-several': 3, 'number-extension': 1, 'number-possible': 2, 'number-region': 1 },
  })
  const fixes = { severalNumbers: 'use-first', extensions: 'leave-out', unknownNumbers: 'import' } as const
  const { phones } = await imported(await open(), text, 'US', fixes)
  expect(phones).toEqual([
    '+12121550109',
    '+12121550110',
    '+12125550101',
    '+12125550103',
    '+12125550105',
    '+12125550107',
    '+12125550108',
  ])
})

test('never calls a cell clear that was rounded or holds several numbers, and blocks it by any of them', async () => {
  const rpc = await open(['+358401234567', '+12125550102', '+12125550106'])
  const cells = [
    '358401234567.0',
    '+358401234567.00',
    '"358401234567,0"',
    '3.58401234567E+11',
    '212-555-0101 212-555-0102',
    '212-555-0105 ::: 212-555-0106',
    '212-555-0103 / 212-555-0104',
    '3.58401E+11',
    '212-555-0102 x5',
    '358405554433.0',
  ]
  const fileId = await upload(rpc, 'list.csv', ['phone;', ...cells.map((cell) => `${cell};`)].join('\n'))
  const { taskId } = await rpc.dnc.checkFile({
    name: 'list.csv',
    source: { fileId, column: 0, headerRow: 1 },
    region: 'US',
    hasCountryCodes: true,
  })
  await taskEnd(rpc, taskId)
  const { counts, files } = (await rpc.dnc.checkRuns({ limit: 1 })).items[0]!
  expect(counts).toMatchObject({ rows: cells.length, clear: 1, blocked: 7, unparsable: 2 })
  const clear = (await download(rpc, files!.clear)).toString()
  expect([...clear.matchAll(/"(\+\d+)"\r/g)].map(([, phone]) => phone)).toEqual(['+358405554433'])
  expect((await download(rpc, files!.unparsable)).toString()).toContain('a spreadsheet rounded it')
})
