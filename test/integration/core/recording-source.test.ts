import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readRecordedEvent } from '#electron/core/replay/recorded-event.ts'
import { deleteRecordings, openRecording } from '#electron/core/replay/recording-source.ts'
import { createRecordingWriter } from '#electron/core/replay/recording-writer.ts'
import { isAppError } from '#contract/errors.ts'
import { openDatabase } from '#electron/database/open.ts'
import { hashOfLine } from '#electron/jobs/work/recording-format.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { iso, recordingOf, report } from '../../helpers/signed-recording.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

type Options = Parameters<typeof openRecording>[0]

/** Opens the events of a file, which was found whole as `checked`. `left` are the folders that it left. */
async function open(content: string, change: Partial<Options> = {}, checked = content) {
  const dir = tempFolder()
  const file = join(dir, 'file')
  const own = join(dir, 'replay')
  writeFileSync(file, content)
  const opening = openRecording({
    file,
    chain: hashOfLine(checked.split('\n').at(-3)!),
    dir: own,
    recording: { connection: 'Night shift', fingerprint: '', signedBy: 'another-key' },
    log: quietLog,
    signal: new AbortController().signal,
    onProgress() {},
    freeBytes: () => Infinity,
    ...change,
  })
  const source = await opening.catch((error: Error & { code?: string; data?: unknown }) => error)
  return { source, left: () => readdirSync(own) }
}

/** Times of so many copies, a millisecond apart. */
const copies = (count: number) => Array.from({ length: count }, (_copy, index) => index + 1)

test('an event that holds more than the listener takes is refused, though it is signed', async () => {
  const large = 'x'.repeat(64 * 1024)
  const taken = { ...report(1, 0, copies(1_000)), body: large, remote: null }
  const { source } = await open(recordingOf([taken]))
  if (source instanceof Error) throw source
  expect(source.repository.copyCount(1, 2_000)).toBe(1_000)
  source.close()
  for (const odd of [
    report(2_000, 0, copies(1_001)),
    { ...report(2_000, 0), body: `${large}x` },
    { ...report(2_000, 0), body: 'ä'.repeat(40_000) },
    { ...report(2_000, 0), body_base64: Buffer.alloc(64 * 1024 + 1).toString('base64') },
    { ...report(2_000, 0), headers: [['a', large]] },
    { ...report(2_000, 0), remote: `${large}x` },
    { ...report(2_000, 0), more: 'x'.repeat(1 << 20) },
  ]) {
    const refused = await open(recordingOf([taken, odd]))
    expect(refused.source).toMatchObject({ code: 'RECORDING_UNREADABLE', data: { line: 3 } })
    expect(refused.left()).toEqual([])
  }
})

test('what is written in one go is bounded in events, in copies and in bytes', () => {
  const dir = tempFolder()
  const [state, journal] = (['state', 'journal'] as const).map((schema) =>
    openDatabase({ file: join(dir, 'own', `${schema}.db`), schema, log: quietLog }),
  )
  const writer = createRecordingWriter(state!.db, journal!.db)
  let seq = 1
  /** How many of these are taken until they are to be written. */
  function addUntilFull(copiesOfEach: number, body: string): number {
    for (let count = 1; ; count++, seq += 1 + copiesOfEach) {
      const line = Buffer.from(JSON.stringify({ ...report(seq, 0, copies(copiesOfEach)), body }))
      const event = readRecordedEvent(line)!
      if (!writer.add({ ...event, line: count, lineBytes: line.length })) continue
      writer.write()
      seq += 1 + copiesOfEach
      return count
    }
  }
  expect(addUntilFull(0, '')).toBe(200)
  expect(addUntilFull(1_000, '')).toBe(2)
  expect(addUntilFull(0, 'x'.repeat(64_000))).toBe(9)
  const count = (table: string) => state!.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect([count('events'), count('copies')]).toEqual([211, 2_000])
  state!.close()
  journal!.close()
})

test('a line that cannot be read is named, also where it shows only when others follow it', async () => {
  const twice = { ...report(2, 0), copies: 2, further: [3, 3].map((seq) => ({ seq, received_at: iso(1) })) }
  const rest = Array.from({ length: 50 }, (_event, index) => report(10 + index, 2))
  const { source, left } = await open(recordingOf([report(1, 0), twice, ...rest]))
  expect(source).toMatchObject({ code: 'RECORDING_UNREADABLE', data: { line: 3 } })
  expect(left()).toEqual([])
})

test('a file that changes after it was checked is not replayed, however it changed', async () => {
  const checked = recordingOf([1, 2, 3, 4].map((seq) => report(seq, seq)))
  const lines = checked.split('\n')
  const put = (at: number, line: string) => lines.with(at, line).join('\n')
  for (const changed of [
    '',
    '{}\n',
    put(0, 'no JSON'),
    put(0, lines[0]!.replace('Night', 'Day')),
    put(1, lines[1]!.replace('m-1', 'm-9')),
    put(1, lines[1]!.replace('{', 'no JSON')),
    put(4, lines[4]!.replace('m-4', 'm-9')),
    put(2, 'x'.repeat(6 << 20)),
    lines.toSpliced(2, 1).join('\n'),
    lines.slice(0, 3).join('\n'),
    lines.slice(0, 5).join('\n'),
    recordingOf([1, 2, 3, 4].map((seq) => report(seq, seq))),
    recordingOf([report(1, 1)]),
  ]) {
    const { source, left } = await open(changed, {}, checked)
    expect(source, changed.slice(0, 2_000)).toMatchObject({ code: 'RECORDING_NOT_AS_CHECKED' })
    expect(left()).toEqual([])
  }
})

test('a signed first line that is no header is named', async () => {
  const { source } = await open(recordingOf([report(1, 0)], { from: 'soon' }))
  expect(source).toMatchObject({ code: 'RECORDING_UNREADABLE', data: { line: 1 } })
})

test('a disk without room for the listener beside the events keeps a file from being read, at first and on the way', async () => {
  const mib = 1 << 20
  const large = { headers: [['a', 'x'.repeat(60_000)]] }
  const content = recordingOf(
    Array.from({ length: 100 }, (_event, index) => ({ ...report(index + 1, 0), ...large })),
  )
  const needed = 256 * mib + 2 * content.length
  const { source: refused, left } = await open(content, { freeBytes: () => needed - 1 })
  expect(refused).toMatchObject({
    code: 'RECORDING_NO_ROOM',
    data: { freeMiB: 267, neededMiB: 268, keptMiB: 256 },
  })
  expect(left()).toEqual([])

  let asked = 0
  const onTheWay = await open(content, { freeBytes: () => (++asked < 3 ? needed : 256 * mib) })
  expect(onTheWay.source).toMatchObject({ code: 'RECORDING_NO_ROOM' })
  expect(asked).toBe(3)
  expect(onTheWay.left()).toEqual([])

  const { source: taken } = await open(content, { freeBytes: () => needed })
  if (taken instanceof Error) throw taken
  taken.close()
})

/** A folder that is a disk of its own, with room for so many files; null where this machine lets nobody mount. */
function smallDisk(mountOptions: string): string | null {
  const folder = join(tempFolder(), 'disk')
  mkdirSync(folder)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', mountOptions, 'tmpfs', folder])
  if (status !== 0) return null
  onTestFinished(() => void spawnSync('umount', ['-l', folder]))
  return folder
}

test('a disk that is full at any point of the opening leaves nothing behind, and says it in words', async () => {
  const content = recordingOf([report(1, 0)])
  let refused = 0
  for (let files = 2; ; files++) {
    const disk = smallDisk(`nr_inodes=${files},mode=700`)
    if (disk === null) return console.log('not run: this machine lets nobody mount')
    const { source } = await open(content, { dir: join(disk, 'replay') })
    if (!(source instanceof Error)) {
      source.close()
      expect(readdirSync(join(disk, 'replay'))).toEqual([])
      break
    }
    refused++
    expect(isAppError(source), `${files} files: ${source.stack}`).toBe(true)
    expect(readdirSync(disk).flatMap((name) => readdirSync(join(disk, name)))).toEqual([])
    // Refused while a file of it is open.
    expect(spawnSync('umount', [disk]).status).toBe(0)
  }
  expect(refused).toBeGreaterThan(3)
})

test('a folder that cannot be deleted is told in the log and stops nothing', () => {
  const disk = smallDisk('mode=700')
  if (disk === null) return console.log('not run: this machine lets nobody mount')
  const warnings: string[] = []
  deleteRecordings(disk, { ...quietLog, warn: (message) => void warnings.push(message) })
  expect(warnings).toEqual(['The events of a replayed file could not be deleted'])
})

test('an event outside of the span that the file names is refused, and none at all is said of the file', async () => {
  for (const atMs of [-1, 600_000]) {
    const { source } = await open(recordingOf([report(1, 0), report(2, atMs)]))
    expect(source).toMatchObject({ code: 'RECORDING_UNREADABLE', data: { line: 3 } })
  }
  const { source, left } = await open(recordingOf([]))
  expect(source).toMatchObject({ code: 'RECORDING_EMPTY' })
  expect(left()).toEqual([])
})
