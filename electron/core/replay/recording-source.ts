import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../contract/errors.ts'
import type { Hole } from '../../contract/events.ts'
import type { Replay } from '../../contract/replay.ts'
import { mapSqliteError, storageErrorCode } from '../../database/errors.ts'
import { type Database, openDatabase } from '../../database/open.ts'
import type { Log } from '../../lib/log.ts'
import { openJournalReader } from '../../listener/journal.ts'
import { createEventsRepository } from '../live/events/events.repository.ts'
import { checkedLines } from './checked-lines.ts'
import {
  readRecordedEvent,
  readRecordedHeader,
  type RecordedEvent,
  type RecordedHeader,
} from './recorded-event.ts'
import { createRecordingWriter } from './recording-writer.ts'
import { createReplayRepository } from './replay.repository.ts'
import type { ReplaySource } from './replay-source.ts'

const mib = 1 << 20

/** What a replay leaves free for the listener, bytes: some 100,000 deliveries in journal and record. */
const keptFreeBytes = 256 * mib

/** What a byte of a file takes in the databases at most. */
const bytesPerByte = 2

/** The events of a signed file as a source, in databases of their own that are deleted when it is closed. */
export interface RecordingSource extends ReplaySource {
  /** The span that was recorded, ISO times. */
  from: string
  to: string
}

/**
 * Opens the events of a file that was found whole. They are written into `dir` and nowhere else; nothing of it is left when this fails
 * or is aborted. Throws RECORDING_EMPTY, RECORDING_UNREADABLE, RECORDING_NOT_AS_CHECKED, RECORDING_NO_ROOM, DISK_FULL, or the reason of `signal`.
 */
export async function openRecording(parts: {
  file: string
  /** The hash of its last line but the closing one, as it was found. */
  chain: string
  dir: string
  recording: NonNullable<Replay['recording']>
  log: Log
  signal: AbortSignal
  onProgress: (doneBytes: number, totalBytes: number) => void
  /** Bytes that are free on the disk of a folder. */
  freeBytes: (dir: string) => number
}): Promise<RecordingSource> {
  const dir = join(parts.dir, randomUUID())
  const opened: { close(): void }[] = []

  function openOwn(schema: 'state' | 'journal') {
    const database = openDatabase({ file: join(dir, `${schema}.db`), schema, log: parts.log })
    opened.push(database)
    // Nothing is lost with it: the file can be read again.
    database.db.pragma('synchronous = OFF')
    return database
  }

  function close(): void {
    for (const one of opened.splice(0).reverse()) one.close()
    deleteRecordings(dir, parts.log)
  }

  try {
    mkdirSync(parts.dir, { recursive: true, mode: 0o700 })
    const state = openOwn('state')
    const journal = openOwn('journal')
    const about = await fill(parts, state.db, journal.db)
    const reader = openJournalReader(journal.file)
    opened.push(reader)
    const holes = holesOf(about)
    return {
      from: about.from,
      to: about.to,
      repository: createReplayRepository(state.db),
      events: createEventsRepository(state.db),
      journal: reader,
      watermark: () => about.lastSeq,
      recovered: () => null,
      holes: () => ({ holes, recordedSince: null }),
      goneBefore: Math.max(0, (about.arrived ?? about.events) - about.events),
      recording: parts.recording,
      close,
    }
  } catch (error) {
    close()
    throw storageErrorCode(error) === undefined ? error : mapSqliteError(error, { file: dir })
  }
}

/** Deletes what was written of files. What cannot be deleted stays until the connection is opened again, and the log says so. */
export function deleteRecordings(dir: string, log: Log): void {
  try {
    rmSync(dir, { recursive: true, force: true })
  } catch (error) {
    log.warn('The events of a replayed file could not be deleted', { error })
  }
}

/** Newest first, as the ledger tells them. One that lasted when the file was written ends with its span. */
const holesOf = ({ gaps, to: end }: RecordedHeader): Hole[] =>
  gaps
    .map(({ from, to, proven, reason }) => ({
      from,
      to: to ?? end,
      durationMs: Date.parse(to ?? end) - Date.parse(from),
      proven,
      reason,
    }))
    .reverse()

/** Whether an event arrived in the span that a file names. */
function spanTest({ from, to }: RecordedHeader): (event: RecordedEvent) => boolean {
  const fromMs = Date.parse(from)
  const toMs = Date.parse(to)
  return ({ row }) => row.receivedMs >= fromMs && row.receivedMs < toMs
}

/** Throws RECORDING_NO_ROOM where so much of a file would leave the listener too little. */
function assertRoom(
  { dir, freeBytes }: Pick<Parameters<typeof openRecording>[0], 'dir' | 'freeBytes'>,
  unreadBytes: number,
): void {
  const free = freeBytes(dir)
  const needed = keptFreeBytes + unreadBytes * bytesPerByte
  if (free >= needed) return
  throw new AppError('RECORDING_NO_ROOM', {
    freeMiB: Math.floor(free / mib),
    neededMiB: Math.ceil(needed / mib),
    keptMiB: keptFreeBytes / mib,
  })
}

/** Writes the events of the file in pieces, between which the thread is free. */
async function fill(
  parts: Pick<
    Parameters<typeof openRecording>[0],
    'file' | 'chain' | 'dir' | 'signal' | 'onProgress' | 'freeBytes'
  >,
  state: Database,
  journal: Database,
): Promise<RecordedHeader & { lastSeq: number }> {
  assertRoom(parts, statSync(parts.file).size)
  const writer = createRecordingWriter(state, journal)
  let about: RecordedHeader | null = null
  let isInSpan: ReturnType<typeof spanTest> = () => false
  let lastSeq = 0

  async function rest(): Promise<void> {
    await nextTurn()
    parts.signal.throwIfAborted()
  }

  const lines = checkedLines(parts.file, parts.chain, async (doneBytes, totalBytes) => {
    parts.onProgress(doneBytes, totalBytes)
    assertRoom(parts, totalBytes - doneBytes)
    await rest()
  })
  for await (const { line, number } of lines) {
    const unreadable = () => new AppError('RECORDING_UNREADABLE', { line: number })
    if (about === null) {
      about = readRecordedHeader(line)
      if (about === null) throw unreadable()
      isInSpan = spanTest(about)
      continue
    }
    const event = readRecordedEvent(line)
    if (event === null || event.row.seq <= lastSeq || !isInSpan(event)) throw unreadable()
    lastSeq = event.row.seq
    if (!writer.add({ ...event, line: number, lineBytes: line.length })) continue
    writer.write()
    await rest()
  }
  writer.write()
  if (about === null || lastSeq === 0) throw new AppError('RECORDING_EMPTY')
  const lastCopy = state
    .prepare<[], number>('SELECT coalesce(max(journal_seq), 0) FROM copies')
    .pluck()
    .get()!
  const highest = Math.max(lastSeq, lastCopy)
  state
    .prepare('INSERT INTO projector (id, watermark, stored_total) VALUES (1, ?, ?)')
    .run(highest, about.events)
  return { ...about, lastSeq: highest }
}
