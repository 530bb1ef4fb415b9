import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFileStore, type FileStore } from '#electron/core/platform/files/file-store.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { upload, usualChoices } from '../../../../helpers/contact-files.ts'
import { canMount, moveToSmallDisk } from '../../../../helpers/small-disk.ts'
import { connectByKey, restartCore, startInSandbox, startTestCore } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const mostBytes = 768 * 1024
const hourMs = 3_600_000

/** A store in an empty folder with a clock that the test moves. */
function storeIn(folder = join(tempFolder(), 'files')) {
  let laterMs = 0
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + laterMs,
    monotonic: () => systemClock.monotonic() + laterMs,
  }
  return { folder, store: createFileStore(folder, clock), later: (ms: number) => void (laterMs += ms) }
}

function handIn(store: FileStore, name: string, bytes: Buffer): string {
  const { fileId } = store.begin({ name, sizeBytes: bytes.length })
  for (let offset = 0; offset < bytes.length; offset += mostBytes)
    store.append({ fileId, offset, base64: bytes.subarray(offset, offset + mostBytes).toString('base64') })
  return fileId
}

function takeOut(store: FileStore, fileId: string): Buffer {
  const pieces: Buffer[] = []
  for (let offset = 0; ;) {
    const { base64, endOfFile } = store.read(fileId, offset)
    pieces.push(Buffer.from(base64, 'base64'))
    offset += pieces.at(-1)!.length
    if (endOfFile) return Buffer.concat(pieces)
  }
}

const codeOf = (work: () => unknown) => {
  try {
    work()
    return 'none'
  } catch (error) {
    return (error as { code: string }).code
  }
}
const base64Of = (text: string) => Buffer.from(text).toString('base64')

describe('uploads in pieces', () => {
  test('return any content byte for byte', () => {
    const { store } = storeIn()
    for (const size of [0, 1, 2, 3, mostBytes - 1, mostBytes, mostBytes + 1, 3 * mostBytes]) {
      const bytes = randomBytes(size)
      const fileId = handIn(store, 'any.bin', bytes)
      expect(takeOut(store, fileId).equals(bytes), String(size)).toBe(true)
      expect(store.complete(fileId)).toMatchObject({ name: 'any.bin', sizeBytes: size })
    }
  })

  test('take each piece once, at its offset and within the announced size', () => {
    const { store } = storeIn()
    const { fileId } = store.begin({ name: 'a', sizeBytes: 6 })
    const append = (offset: number, text: string) =>
      codeOf(() => store.append({ fileId, offset, base64: base64Of(text) }))
    expect(append(0, 'abc')).toBe('none')
    for (const [offset, text] of [
      [0, 'abc'],
      [4, 'x'],
      [3, 'four'],
      [1e15, 'x'],
    ] as const)
      expect(append(offset, text), `${offset} ${text}`).toBe('FILE_OUT_OF_STEP')
    // The page asks this to learn whether a piece arrived.
    expect(append(3, '')).toBe('none')
    expect(append(3, 'def')).toBe('none')
    expect(takeOut(store, fileId).toString()).toBe('abcdef')
  })

  test('refuse a piece that is not base64', () => {
    const { store } = storeIn()
    const { fileId } = store.begin({ name: 'a', sizeBytes: 100 })
    const append = (base64: string) => store.append({ fileId, offset: 0, base64 })
    for (const base64 of ['YWJj!', 'YW Jj', 'YWJjZ', '====', 'YWJj\nYWJj', 'é'])
      expect([base64, codeOf(() => append(base64))]).toEqual([base64, 'INVALID_INPUT'])
    expect(append('YWI=')).toEqual({ receivedBytes: 2 })
  })

  test('refuse an interrupted upload and say how much arrived', () => {
    const { store } = storeIn()
    const { fileId } = store.begin({ name: 'a.csv', sizeBytes: 10 })
    store.append({ fileId, offset: 0, base64: 'YWJj' })
    expect(() => store.complete(fileId)).toThrow('The upload was interrupted after 3 bytes')
    expect(codeOf(() => store.complete(fileId))).toBe('FILE_OUT_OF_STEP')
  })

  test('do not serve a file before its task finishes it', () => {
    const { store } = storeIn()
    const { fileId, path } = store.create('export.csv')
    writeFileSync(path, 'first half')
    expect(codeOf(() => store.read(fileId, 0))).toBe('FILE_UNFINISHED')
    expect(codeOf(() => store.append({ fileId, offset: 10, base64: 'YWJj' }))).toBe('FILE_GONE')
    writeFileSync(path, 'first half, second half')
    store.finish(fileId)
    expect(takeOut(store, fileId).toString()).toBe('first half, second half')
  })
})

describe('stored files', () => {
  test('are readable by their owner only, like their folder', () => {
    const { folder, store } = storeIn()
    handIn(store, 'a.csv', Buffer.from('abc'))
    store.create('b.csv')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const files = readdirSync(folder)
    expect(files).toHaveLength(4)
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600)
  })

  test.each([
    ['../../../etc/passwd', 'passwd'],
    ['C:\\Users\\ana\\people.csv', 'people.csv'],
    ['a\u0000b.csv', 'ab.csv'],
    ['\u202Egpj.csv', 'gpj.csv'],
    ['..', 'file'],
    ['/', 'file'],
    ['\r\n', 'file'],
    ['n'.repeat(255), 'n'.repeat(255)],
    ['Kunden – Köln 📇.csv', 'Kunden – Köln 📇.csv'],
  ])('use a name only as a name (%#)', (given, kept) => {
    const { folder, store } = storeIn()
    const fileId = handIn(store, given, Buffer.from('abc'))
    expect(store.read(fileId, 0).name).toBe(kept)
    const made = store.create(given)
    store.finish(made.fileId)
    expect(store.read(made.fileId, 0).name).toBe(kept)
    for (const file of readdirSync(folder)) expect(file).toMatch(/^[0-9a-f-]{36}(\.json)?$/)
  })

  test('never use an ID as a path', () => {
    const { folder, store } = storeIn()
    writeFileSync(join(folder, '..', 'secret'), 'x')
    writeFileSync(join(folder, '..', 'secret.json'), '{"name":"secret","sizeBytes":1}')
    const odd = ['../secret', '..', '', '/etc/passwd', 'a\u0000', '-'.repeat(36), 'x'.repeat(100_000)]
    for (const fileId of odd)
      for (const call of [
        () => store.read(fileId, 0),
        () => store.complete(fileId),
        () => store.append({ fileId, offset: 0, base64: '' }),
      ])
        expect(codeOf(call), fileId.slice(0, 20)).toBe('FILE_GONE')
    expect(codeOf(() => store.discard('../secret'))).toBe('FILE_GONE')
    expect(existsSync(join(folder, '..', 'secret'))).toBe(true)
  })
})

describe('retention', () => {
  const age = (folder: string, fileId: string, ms: number) => {
    for (const file of readdirSync(folder).filter((name) => name.startsWith(fileId)))
      utimesSync(join(folder, file), new Date(Date.now() - ms), new Date(Date.now() - ms))
  }

  test('deletes unused files after a day and leaves foreign files alone', () => {
    const { folder, store } = storeIn()
    const [old, young, needed] = ['old', 'young', 'needed'].map((name) =>
      handIn(store, name, Buffer.from('x')),
    )
    for (const fileId of [old!, needed!]) age(folder, fileId, 25 * hourMs)
    age(folder, young!, 23 * hourMs)
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    age(folder, 'notes.txt', 99 * hourMs)
    store.sweep((fileId) => fileId === needed)
    expect([old, young, needed].map((fileId) => codeOf(() => store.read(fileId!, 0)))).toEqual([
      'FILE_GONE',
      'none',
      'none',
    ])
    expect(readdirSync(folder)).toContain('notes.txt')
  })

  test('applies while the console stays open', () => {
    const { store, later } = storeIn()
    store.sweep(() => false)
    const fileId = handIn(store, 'a', Buffer.from('abc'))
    later(23 * hourMs)
    handIn(store, 'b', Buffer.from('abc'))
    expect(codeOf(() => store.read(fileId, 0))).toBe('none')
    later(2 * hourMs)
    handIn(store, 'c', Buffer.from('abc'))
    expect(codeOf(() => store.read(fileId, 0))).toBe('FILE_GONE')
  })
})

describe('a full disk', () => {
  test('refuses a file that cannot fit before its first byte', () => {
    const { folder: own, store } = storeIn()
    expect(codeOf(() => store.begin({ name: 'huge', sizeBytes: Number.MAX_SAFE_INTEGER }))).toBe('DISK_FULL')
    expect(readdirSync(own)).toEqual([])
  })

  test.runIf(canMount)('takes nothing of a piece that does not fit and continues once there is room', () => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'files'), { mode: 0o700 })
    expect(moveToSmallDisk(folder, '400k')).toBe(true)
    const { store } = storeIn(join(folder, 'files'))
    const { fileId } = store.begin({ name: 'a', sizeBytes: 250_000 })
    const bytes = randomBytes(250_000)
    const append = (from: number, to: number) =>
      store.append({ fileId, offset: from, base64: bytes.subarray(from, to).toString('base64') })
    append(0, 50_000)
    writeFileSync(join(folder, 'ballast'), Buffer.alloc(250_000))
    expect(codeOf(() => append(50_000, 250_000))).toBe('DISK_FULL')
    expect(codeOf(() => append(50_000, 50_000))).toBe('none')
    rmSync(join(folder, 'ballast'))
    append(50_000, 250_000)
    expect(takeOut(store, fileId).equals(bytes)).toBe(true)
  })
})

describe('over the core', () => {
  test('names what is too long, too large or negative, and has no files without a connection', async () => {
    const { rpc } = await startTestCore()
    const refuses = (call: Promise<unknown>, code = 'INVALID_INPUT') =>
      expect(call).rejects.toMatchObject({ code })
    await refuses(rpc.files.begin({ name: 'a', sizeBytes: 1 }), 'NO_CONNECTION')
    await rpc.connections.openSandbox()
    await refuses(rpc.files.begin({ name: 'n'.repeat(256), sizeBytes: 1 }))
    await refuses(rpc.files.begin({ name: '', sizeBytes: 1 }))
    await refuses(rpc.files.begin({ name: 'a', sizeBytes: -1 }))
    await refuses(rpc.files.begin({ name: 'a', sizeBytes: 0.5 }))
    const { fileId } = await rpc.files.begin({ name: 'a', sizeBytes: 2_000_000 })
    const base64 = Buffer.alloc(1_200_000).toString('base64')
    await refuses(rpc.files.append({ fileId, offset: 0, base64 }))
    await refuses(rpc.files.read({ fileId, offset: -1 }))
    await refuses(rpc.files.read({ fileId: '../state.db', offset: 0 }), 'FILE_GONE')
  })

  test('keeps each connection’s files apart', async () => {
    const { rpc, sandbox } = await startInSandbox()
    const [first] = (await rpc.connections.list()).connections
    const fileId = await upload(rpc, 'people.csv', Buffer.from('phone\n+14155550100\n'))
    await connectByKey({ rpc, sandbox })
    for (const call of [
      rpc.files.read({ fileId, offset: 0 }),
      rpc.files.append({ fileId, offset: 19, base64: '' }),
      rpc.imports.inspect({ fileId }),
    ])
      await expect(call).rejects.toMatchObject({ code: 'FILE_GONE' })
    await rpc.files.discard({ fileId })
    await rpc.connections.open({ id: first!.id })
    expect((await rpc.files.read({ fileId, offset: 0 })).sizeBytes).toBe(19)
  })

  test('resumes an upload after a restart and keeps rejected rows after their import file', async () => {
    const first = await startInSandbox()
    const text = 'phone\n+14155550100\nnonsense\n'
    const { fileId } = await first.rpc.files.begin({ name: 'people.csv', sizeBytes: text.length })
    await first.rpc.files.append({ fileId, offset: 0, base64: base64Of(text.slice(0, 10)) })
    const second = await restartCore(first)
    const { rpc } = second
    await rpc.files.append({ fileId, offset: 10, base64: base64Of(text.slice(10)) })
    const { importId, format, guesses } = await rpc.imports.inspect({ fileId })
    const choices = { format, columns: guesses, defaultRegion: 'US', ...usualChoices }
    await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
    await second.stopCore()
    const connections = join(first.dataDir, 'connections')
    const folder = join(connections, readdirSync(connections)[0]!, 'files')
    for (const file of readdirSync(folder)) utimesSync(join(folder, file), 0, 0)
    const third = await restartCore(first)
    await expect(third.rpc.files.read({ fileId, offset: 0 })).rejects.toMatchObject({ code: 'FILE_GONE' })
    expect(await third.rpc.imports.rejected({ importId, limit: 5 })).toMatchObject({ total: 1 })
  })
})
