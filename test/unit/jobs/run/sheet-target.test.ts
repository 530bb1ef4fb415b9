import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { openTable } from '#electron/jobs/sheets/open-table.ts'
import { createTable } from '#electron/jobs/run/target-file.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

test('writes rows as they drain, numbers as phones, and cuts text that Excel refuses', async () => {
  const file = join(tempFolder(), 'sheet')
  const table = await createTable(file, 'xlsx')
  table.row(['name', 'phone'])
  for (let at = 0; at < 5_000; at++) {
    table.row([`Person ${at}`, 12_025_550_000 + at])
    if (at % 1_000 === 0) await table.drained()
  }
  table.row(['x'.repeat(40_000), ''])
  expect(existsSync(file)).toBe(false)
  await table.finish()
  table.abandon()
  const [sheet] = (await readXlsx(readFileSync(file))).sheets
  expect(sheet!.rows).toHaveLength(5_002)
  expect(sheet!.rows[0]).toEqual(['name', 'phone'])
  expect(sheet!.rows[5_000]).toEqual(['Person 4999', '+12025554999'])
  expect(sheet!.rows[5_001]![0]).toBe(`${'x'.repeat(32_766)}…`)
})

test('writes text that XML can’t hold, or that looks like a code', async () => {
  const file = join(tempFolder(), 'sheet')
  const table = await createTable(file, 'xlsx')
  table.row(['a\ufffeb', 'x_x0041_y', 'a\u0001b'])
  await table.finish()
  const target = `${file}.table`
  await openTable({ file, target, sheet: null }, { progress() {}, checkpoint: async () => {} })
  expect(readFileSync(target, 'utf8')).toContain('"a\ufffdb","x_x0041_y","a\u0001b"')
})

test('leaves nothing when it is abandoned', async () => {
  const folder = tempFolder()
  const table = await createTable(join(folder, 'sheet'), 'xlsx')
  table.row(['name'])
  await table.drained()
  table.abandon()
  expect(readdirSync(folder)).toEqual([])
})

test('says why it can’t write', async () => {
  const table = await createTable(join(tempFolder(), 'none', 'sheet'), 'xlsx')
  table.row(['name'])
  await expect(table.finish()).rejects.toMatchObject({ code: 'ENOENT' })
})
