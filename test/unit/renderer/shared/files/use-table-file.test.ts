import { expect, onTestFinished, test } from 'vitest'
import { createApp, effectScope } from 'vue'
import { rpcKey } from '../../../../../renderer/src/rpc/rpc.ts'
import { useTableFile } from '../../../../../renderer/src/shared/files/use-table-file.ts'

const csv = new File(['name,phone\n'], 'people.csv')

/** A component's file. `sheets` answers `sheets.open`; `isTable` what a page finds in the table. */
function aFile(
  parts: {
    sheets?: (
      sheet: number | undefined,
      signal: AbortSignal,
      isTogether: boolean | undefined,
    ) => AsyncGenerator<object>
  } = {},
) {
  const discarded: string[] = []
  const inspected: string[] = []
  let answer = true
  let isInUse = false
  let uploads = 0
  const client = {
    files: {
      begin: async () => ({ fileId: `upload-${++uploads}` }),
      append: async ({ base64 }: { base64: string }) => ({ receivedBytes: atob(base64).length }),
      discard: async ({ fileId }: { fileId: string }) => (discarded.push(fileId), {}),
    },
    sheets: {
      open: async (
        { fileId, sheet, isTogether }: { fileId: string; sheet?: number; isTogether?: boolean },
        { signal }: { signal: AbortSignal },
      ) =>
        parts.sheets?.(sheet, signal, isTogether) ?? [
          { kind: 'table', fileId, isConverted: false, sheets: [] },
        ],
    },
  }
  const app = createApp({}).provide(rpcKey, { client } as never)
  const scope = effectScope()
  const file = app.runWithContext(() =>
    scope.run(() =>
      useTableFile(
        async (fileId) => (inspected.push(fileId), answer),
        () => isInUse,
      ),
    ),
  )!
  onTestFinished(() => scope.stop())
  return { file, discarded, inspected, scope, refuse: () => (answer = false), use: () => (isInUse = true) }
}

/** A workbook whose sheet at position n becomes the table `table-n`. */
async function* sheetOf(sheet = 1) {
  yield { kind: 'reading', doneBytes: 1, totalBytes: 2 }
  yield { kind: 'table', fileId: `table-${sheet}`, isConverted: true, sheet, sheets: [] }
}

test('uses text as it is, and discards it once', async () => {
  const { file, discarded, inspected } = aFile()
  await file.take(csv)
  expect(inspected).toEqual(['upload-1'])
  expect(file.table.value).toMatchObject({ fileId: 'upload-1', name: 'people.csv' })
  file.release()
  expect(discarded).toEqual(['upload-1'])
})

test('discards the file of a page that is left, unless a task uses it', async () => {
  const left = aFile()
  await left.file.take(csv)
  left.scope.stop()
  expect(left.discarded).toEqual(['upload-1'])
  const used = aFile()
  await used.file.take(csv)
  used.use()
  used.scope.stop()
  expect(used.discarded).toEqual([])
})

test('keeps the workbook while its sheet can be changed', async () => {
  const { file, discarded } = aFile({ sheets: sheetOf })
  await file.take(csv)
  expect(file.table.value).toMatchObject({ fileId: 'table-1', uploadId: 'upload-1' })
  await file.choose({ sheet: 0 })
  expect(file.table.value).toMatchObject({ fileId: 'table-0' })
  expect(discarded).toEqual(['table-1'])
  file.keep()
  expect(discarded).toEqual(['table-1', 'upload-1'])
})

test('keeps an upload that is a table itself while it can be read in another way', async () => {
  const asIs = { kind: 'table', fileId: 'upload-1', isConverted: false, sheets: [], people: 'together' }
  const { file, discarded, refuse } = aFile({
    sheets: async function* (_sheet, _signal, isTogether) {
      yield isTogether ? asIs : { ...asIs, fileId: 'table-1', isConverted: true, people: 'apart' }
    },
  })
  await file.take(csv)
  await file.choose({ isTogether: true })
  expect(discarded).toEqual(['table-1'])
  await file.choose({ isTogether: false })
  expect(file.table.value).toMatchObject({ fileId: 'table-1', uploadId: 'upload-1' })
  refuse()
  await file.choose({ isTogether: true })
  expect(file.table.value).toMatchObject({ fileId: 'table-1' })
  expect(discarded).toEqual(['table-1'])
})

test('discards a file that is no table, and keeps the open sheet when another is none', async () => {
  const { file, discarded, refuse } = aFile({ sheets: sheetOf })
  await file.take(csv)
  refuse()
  await file.choose({ sheet: 0 })
  expect(file.table.value).toMatchObject({ fileId: 'table-1' })
  expect(discarded).toEqual(['table-0'])
  await file.take(csv)
  expect(file.table.value).toBeNull()
  expect(discarded).toEqual(['table-0', 'table-1', 'upload-1', 'table-1', 'upload-2'])
})

test('says why a file can’t be opened', async () => {
  const { file, discarded } = aFile({
    // eslint-disable-next-line require-yield -- fails before its first step
    sheets: async function* () {
      throw new Error('locked')
    },
  })
  await file.take(csv)
  expect(file.state.value).toMatchObject({ kind: 'failed', name: 'people.csv' })
  expect(discarded).toEqual(['upload-1'])
})

test('cancels an opening', async () => {
  const reading = Promise.withResolvers<undefined>()
  const { file, discarded } = aFile({
    sheets: async function* (_sheet, signal) {
      yield { kind: 'reading', doneBytes: 1, totalBytes: 4 }
      reading.resolve(undefined)
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  const taken = file.take(csv)
  await reading.promise
  expect(file.state.value).toMatchObject({ kind: 'reading', progress: { doneBytes: 1, totalBytes: 4 } })
  file.cancel()
  await taken
  expect(file.state.value).toEqual({ kind: 'idle' })
  expect(discarded).toEqual(['upload-1'])
})
