import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLineCount, readRejected } from '#electron/jobs/table/rejected-rows.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const newFile = (content: string) => {
  const file = join(tempFolder(), 'rejected')
  writeFileSync(file, content)
  return file
}

/** Every page from the start. */
async function pagesOf(file: string, limit: number): Promise<string[][]> {
  const pages: string[][] = []
  for (let at: number | null = 0; at !== null;) {
    const page: Awaited<ReturnType<typeof readRejected>> = await readRejected(file, at, limit)
    pages.push(page.lines)
    at = page.nextByte
  }
  return pages
}

test('returns pages without gaps for rows of any size', async () => {
  const rows = Array.from({ length: 600 }, (_, at) => `${at} ${'ä'.repeat((at * 37) % 400)}`)
  const file = newFile(rows.map((row) => `${row}\n`).join(''))
  for (const limit of [1, 7, 100, 600]) expect((await pagesOf(file, limit)).flat()).toEqual(rows)
  expect(await pagesOf(file, 250)).toMatchObject([{ length: 250 }, { length: 250 }, { length: 100 }])
})

test('puts fewer long rows on a page, and a longer one than a page alone', async () => {
  const rows = Array.from({ length: 8 }, (_, at) => String(at).repeat(400_000))
  const long = 'x'.repeat(3_000_000)
  const file = newFile(`${[...rows, long, 'last'].join('\n')}\n`)
  const pages = await pagesOf(file, 100)
  expect(pages.map(({ length }) => length)).toEqual([3, 3, 3, 1])
  expect(pages.flat()).toEqual([...rows, long, 'last'])
})

test('neither returns nor counts a row that is still being written', async () => {
  const file = newFile('one\ntwo\nthr')
  const counts = createLineCount()
  expect(await readRejected(file, 0, 10)).toEqual({ lines: ['one', 'two'], nextByte: 8 })
  expect(await readRejected(file, 8, 10)).toEqual({ lines: [], nextByte: null })
  expect(await counts.of(file)).toBe(2)
  appendFileSync(file, 'ee\n')
  expect(await readRejected(file, 8, 10)).toEqual({ lines: ['three'], nextByte: null })
  expect(await counts.of(file)).toBe(3)
})

test('recounts a file that was cut and continued', async () => {
  const file = newFile('one\ntwo\nthree\n')
  const counts = createLineCount()
  expect(await counts.of(file)).toBe(3)
  truncateSync(file, 4)
  expect(await counts.of(file)).toBe(1)
  writeFileSync(file, '1\n2\n3\n4\n5\n6\n7\n')
  expect(await counts.of(file)).toBe(6)
  counts.forget(file)
  expect(await counts.of(file)).toBe(7)
})

test('has no rows without a file', async () => {
  const file = join(tempFolder(), 'none')
  expect(await readRejected(file, 0, 10)).toEqual({ lines: [], nextByte: null })
  expect(await createLineCount().of(file)).toBe(0)
})
