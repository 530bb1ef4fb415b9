import { writeFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inspectFile } from '#electron/core/people/tables.ts'
import { createFileStore } from '#electron/core/platform/files/file-store.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

test('answers other calls while a file is inspected, also one that is not UTF-8', async () => {
  const store = createFileStore(tempFolder(), systemClock)
  const { fileId } = store.create('people.csv')
  const rows = Array.from({ length: 100 }, (_, at) => `Bärbel Grün,0151200${at + 10_000}`)
  writeFileSync(store.path(fileId), Buffer.from(`Näme,Telefon\n${rows.join('\n')}`, 'latin1'))
  store.finish(fileId)
  let isInspected = false
  const inspected = Promise.resolve(inspectFile(store, fileId)).finally(() => (isInspected = true))
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  expect(isInspected).toBe(false)
  const { found, guess } = await inspected
  expect(found).toMatchObject({ header: ['Näme', 'Telefon'], format: { encoding: 'windows-1252' } })
  expect(guess()).toEqual([{ to: 'name' }, { to: 'phone' }])
})
