import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  read,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { erasedFile } from '../../platform/files/file-store.ts'
import { kindOfFile } from '../../../jobs/sheets/file-kind.ts'
import {
  emailsOf,
  longestSpelling,
  longNational,
  type Needle,
  plainNumber,
  readable,
  spelledNumber,
} from './needle.ts'

const encodings = ['utf8', 'latin1', 'utf16le'] as const
/** Files with one JSON row per line: only the person's rows are removed. */
const lineFile = /\.(rejected|plan|left|rows)$/

/** Decoders of a file's text: UTF-8, and UTF-16 if its start looks like it. */
function decodersFor(head: Buffer) {
  const nuls = head.subarray(0, 1_000).filter((byte) => byte === 0).length
  const isWide = nuls > 100 || /^(?:\xff\xfe|\xfe\xff)/.test(head.toString('latin1', 0, 2))
  return ['utf-8', ...(isWide ? ['utf-16le', 'utf-16be'] : [])].map((encoding) => new TextDecoder(encoding))
}

/**
 * Descriptors of database files, for as long as the databases are open. Closing one earlier would drop this process's POSIX locks on
 * its database: another program that opens it could then delete the log that commits go to.
 */
export function createDatabaseDescriptors() {
  const descriptors = new Map<string, number>()
  return {
    of(file: string): number {
      const key = `${statSync(file).ino} ${file}`
      const descriptor = descriptors.get(key) ?? openSync(file, 'r')
      descriptors.set(key, descriptor)
      return descriptor
    },
    /** To call once the databases are closed. */
    close(): void {
      for (const descriptor of descriptors.values()) closeSync(descriptor)
      descriptors.clear()
    },
  }
}
export type DatabaseDescriptors = ReturnType<typeof createDatabaseDescriptors>

const pieceBytes = 1 << 20
const readAt = promisify(read)

/** Whether a file contains one of these byte sequences, or a match of `number` in `readable` text. */
async function holds(
  input: AsyncIterable<Buffer>,
  sequences: readonly Buffer[],
  number: RegExp,
): Promise<boolean> {
  const overlap = Math.max(0, ...sequences.map(({ length }) => length - 1))
  // A match depends on the characters around it, so matches near an edge wait for the next piece.
  const edge = 16
  let tail = Buffer.alloc(0)
  let texts: { decoder: ReturnType<typeof decodersFor>[number]; rest: string; from: number }[] | null = null
  const finds = (text: string, from: number, upTo: number) =>
    [...text.matchAll(number)].some(({ index, 0: { length } }) => index >= from && index + length <= upTo)
  for await (const chunk of input) {
    const bytes = Buffer.concat([tail, chunk])
    if (sequences.some((sequence) => bytes.includes(sequence))) return true
    tail = bytes.subarray(Math.max(0, bytes.length - overlap))
    texts ??= decodersFor(chunk).map((decoder) => ({ decoder, rest: '', from: 0 }))
    for (const one of texts) {
      const text = one.rest + readable(one.decoder.decode(chunk, { stream: true }))
      if (finds(text, one.from, text.length - edge)) return true
      one.rest = text.slice(-longestSpelling - 2 * edge)
      one.from = one.rest.length < text.length ? edge : one.from
    }
  }
  return texts?.some(({ rest, from }) => finds(rest, from, rest.length)) ?? false
}

/** None of a file that is gone, as the draft of an interrupted task may be. */
async function* piecesOf(file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file, { highWaterMark: pieceBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Leaves the descriptor open, which a stream closes when its reader stops early. */
async function* piecesAt(descriptor: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await readAt(descriptor, Buffer.alloc(pieceBytes), 0, pieceBytes, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** Workbooks are compressed, and cards may code or fold their values. */
const isCoded = (file: string) => ['zip', 'cards'].includes(kindOfFile(file))

const isThere = async (file: string) => (await stat(file).catch(() => null))?.isFile() ?? false

/** Files below a folder, as paths from it. */
async function filesBelow(dir: string): Promise<string[]> {
  if (!existsSync(dir)) return []
  const names = await readdir(dir, { recursive: true })
  const files: string[] = []
  for (const name of names) if (await isThere(join(dir, name))) files.push(name)
  return files
}

/** Removes a person's lines from a file. Returns how many. */
async function dropLines(file: string, isTheirs: (line: string) => boolean): Promise<number> {
  const next = `${file}.erasing`
  const output = createWriteStream(next, { mode: 0o600 })
  let dropped = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (isTheirs(line)) dropped++
    else if (!output.write(`${line}\n`))
      await new Promise<void>((resolve) => output.once('drain', () => resolve()))
  }
  output.end()
  await finished(output)
  if (dropped > 0) renameSync(next, file)
  else rmSync(next)
  return dropped
}

/** Numbers that a dry run read from a row of its file or from a recipient. Empty where it read none. */
function numbersRead(file: string, line: string): readonly number[] {
  if (!/\.(plan|rows)$/.test(file)) return []
  const row = JSON.parse(line) as { numbers?: number[]; phone?: string; others?: number[] }
  return row.numbers ?? (row.phone ? [Number(row.phone), ...(row.others ?? [])] : [])
}

/** A file that was removed, or lost a person's lines (`isList`). `name`: as the operator knows it, null if it is not stored beside it. */
interface RemovedFile {
  id: string
  name: string | null
  isList: boolean
}

/** Removes a file. Its record, if any, then says only that it was erased. Returns the name that it had. */
function removeFile(main: string): string | null {
  rmSync(main, { force: true })
  const record = `${main}.json`
  if (!existsSync(record)) return null
  const { name = null } = JSON.parse(readFileSync(record, 'utf8')) as { name?: string }
  writeFileSync(record, JSON.stringify(erasedFile))
  return name
}

/**
 * Removes imported files, exports and lists that contain a person, in any spelling of the number. Files are removed whole; lists lose
 * only the person's lines. A file that unfinished work still reads is kept and counted.
 */
export async function eraseFiles(
  dir: string,
  needle: Needle,
  isNeeded: (fileId: string) => boolean,
  signal: AbortSignal,
): Promise<{ removed: RemovedFile[]; inUse: number }> {
  const emails = emailsOf(needle)
  const sequences = emails.flatMap((text) => encodings.map((encoding) => Buffer.from(text, encoding)))
  const number = spelledNumber(needle)
  const removed: RemovedFile[] = []
  let inUse = 0
  for (const name of await filesBelow(dir)) {
    signal.throwIfAborted()
    const file = join(dir, name)
    const id = name.slice(0, 36)
    // It may have been removed with the file it belongs to.
    if (!(await isThere(file))) continue
    // Kept for a day. Each may hold the person.
    if (!isCoded(file) && !(await holds(piecesOf(file), sequences, number))) continue
    if (lineFile.test(name)) {
      const isTheirs = (line: string) => {
        if (emails.some((email) => line.includes(email))) return true
        const numbers = numbersRead(file, line)
        // Another person's number or ID may be spelled like this one elsewhere.
        if (numbers.length > 0) return numbers.includes(Number(needle.digits))
        return readable(line).search(number) !== -1
      }
      if ((await dropLines(file, isTheirs)) > 0) removed.push({ id, name: null, isList: true })
      continue
    }
    const main = file.replace(/\.(json|header)$/, '')
    if (isNeeded(id)) {
      inUse++
      continue
    }
    removed.push({ id, name: removeFile(main), isList: false })
    if (file.endsWith('.header')) rmSync(file, { force: true })
  }
  return { removed, inUse }
}

/** Files below a folder that still contain the number, in any spelling, or an email. */
export async function filesHolding(
  dir: string,
  needle: Needle,
  descriptors: DatabaseDescriptors,
  skip: (name: string) => boolean,
): Promise<string[]> {
  const sequences = emailsOf(needle).map((text) => Buffer.from(text))
  // In a database file other digits may touch the number. A long one does not occur by chance.
  const number =
    needle.digits.length < 10
      ? plainNumber(needle)
      : new RegExp(`${needle.digits}|${spelledNumber(needle, longNational).source}`, 'gi')
  const piecesBelow = (name: string): AsyncIterable<Buffer> => {
    const file = join(dir, name)
    return name.endsWith('.db') ? piecesAt(descriptors.of(file)) : piecesOf(file)
  }
  const found: string[] = []
  for (const name of await filesBelow(dir)) {
    // An index of the log, without content. Its descriptor has locks too.
    if (name.endsWith('-shm') || skip(name)) continue
    if (await holds(piecesBelow(name), sequences, number)) found.push(name)
  }
  return found
}
