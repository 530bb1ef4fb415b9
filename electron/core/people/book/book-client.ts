import { createBirpc } from 'birpc'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { AppError } from '../../../contract/errors.ts'
import type {
  BookAnswer,
  BookEvents,
  BookFunctions,
  BookOpened,
  SearchFunctions,
} from '../../../jobs/book/protocol.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type EntryName, entryUrl } from '../../../lib/entry-url.ts'
import type { Log } from '../../../lib/log.ts'

type Functions = Omit<BookFunctions, 'open' | 'close'> & Omit<SearchFunctions, 'open' | 'close'>
type Value<Name extends keyof Functions> = ReturnType<Functions[Name]> extends BookAnswer<infer T> ? T : never

/** The contact database and search threads as the core sees them. Every call rejects with `AppError`s. */
export type Book = {
  [Name in keyof Functions]: (...args: Parameters<Functions[Name]>) => Promise<Value<Name>>
} & {
  /** Opens the databases. Rejects with the `STORAGE_*` errors. */
  open(): Promise<BookOpened>
  /** A port through which a job writes rows. The thread must be open. */
  portForJob(): MessagePort
  /** Calls `callback` after changes. Returns its removal. */
  onChange(callback: (version: number) => void): () => void
  stop(): Promise<void>
}

/** Delay before both threads restart after one of them exits. Calls in progress have failed. */
const restartMs = 500

/** Starts the two threads and keeps them running. A change is on disk before its call answers. */
export function createBookClient(parts: {
  bookFile: string
  searchFile: string
  clock: Clock
  log: Log
  /** Called when the full check of a large file finds damage, with SQLite's messages. */
  onDamage?: (file: string, problems: string[]) => void
}): Book {
  const { bookFile, searchFile, clock, log, onDamage = () => {} } = parts
  const listeners = new Set<(version: number) => void>()
  let stopping = false
  let life = start()
  let opening: Promise<BookAnswer<BookOpened>> | null = null

  function startThread<Calls extends object>(entry: EntryName, name: string) {
    const worker = new Worker(entryUrl(entry), { name })
    const events: BookEvents = {
      changed(version) {
        for (const listener of [...listeners]) listener(version)
      },
      damaged: onDamage,
      log: (level, message, data) => log[level](message, data),
    }
    const rpc = createBirpc<Calls, BookEvents>(events, {
      post: (data) => worker.postMessage(data),
      on: (receive) => void worker.on('message', receive),
      timeout: -1,
    })
    worker.on('error', (error) => log.error(`the ${name} thread failed`, { error }))
    worker.on('exit', () => rpc.$close(new AppError('BOOK_FAILED', { detail: { key: 'book.threadEnded' } })))
    return { worker, rpc }
  }

  function start() {
    const book = startThread<BookFunctions>('book-thread', 'book')
    const search = startThread<SearchFunctions>('search-thread', 'search')
    const { port1, port2 } = new MessageChannel()
    book.worker.postMessage({ to: 'search', port: port1 }, [port1])
    search.worker.postMessage(port2, [port2])
    let isOver = false
    for (const { worker } of [book, search])
      worker.once('exit', () => {
        if (isOver || stopping) return
        isOver = true
        opening = null
        // Each thread holds state the other lacks, so both restart together.
        void Promise.all([book.worker.terminate(), search.worker.terminate()])
        clock.after(restartMs, () => stopping || (life = start()))
      })
    return { book, search }
  }

  async function openBoth(): Promise<BookAnswer<BookOpened>> {
    const { book, search } = life
    const opened = (await book.rpc.open({ bookFile, searchFile })) as BookAnswer<BookOpened>
    if (!opened.ok) return opened
    const { version, damage } = opened.value
    const found = (await search.rpc.open({ bookFile, searchFile })) as BookAnswer<BookOpened['damage']>
    return found.ok ? { ok: true, value: { version, damage: [...damage, ...found.value] } } : found
  }

  async function opened(): Promise<BookOpened> {
    opening ??= openBoth()
    const current = opening
    const answer = await current.catch((error: unknown) => {
      if (opening === current) opening = null
      throw error
    })
    if (answer.ok) return answer.value
    opening = null
    throw new AppError(answer.code, answer.data)
  }

  async function call<Name extends keyof Functions>(
    thread: 'book' | 'search',
    name: Name,
    ...args: Parameters<Functions[Name]>
  ): Promise<Value<Name>> {
    await opened()
    const functions = life[thread].rpc as unknown as Record<
      Name,
      (...given: Parameters<Functions[Name]>) => Promise<BookAnswer<Value<Name>>>
    >
    const answer = await functions[name](...args)
    if (answer.ok) return answer.value
    throw new AppError(answer.code, answer.data)
  }

  return {
    open: opened,
    create: (...args) => call('book', 'create', ...args),
    update: (...args) => call('book', 'update', ...args),
    setNote: (...args) => call('book', 'setNote', ...args),
    tag: (...args) => call('book', 'tag', ...args),
    tagBatch: (...args) => call('book', 'tagBatch', ...args),
    undoTags: (...args) => call('book', 'undoTags', ...args),
    trash: (...args) => call('book', 'trash', ...args),
    restore: (...args) => call('book', 'restore', ...args),
    personTexts: (...args) => call('book', 'personTexts', ...args),
    erasePerson: (...args) => call('book', 'erasePerson', ...args),
    truncateLog: () => call('book', 'truncateLog'),
    purge: (...args) => call('book', 'purge', ...args),
    applyOutbox: (...args) => call('book', 'applyOutbox', ...args),
    setMarks: (...args) => call('book', 'setMarks', ...args),
    replaceMarks: (...args) => call('book', 'replaceMarks', ...args),
    undoProgress: (...args) => call('book', 'undoProgress', ...args),
    undoImport: (...args) => call('book', 'undoImport', ...args),
    figures: () => call('search', 'figures'),
    count: (...args) => call('search', 'count', ...args),
    tagKeys: () => call('search', 'tagKeys'),
    order: (...args) => call('search', 'order', ...args),
    portForJob() {
      const { port1, port2 } = new MessageChannel()
      life.book.worker.postMessage({ to: 'job', port: port1 }, [port1])
      return port2
    },
    onChange(callback) {
      listeners.add(callback)
      return () => void listeners.delete(callback)
    },
    async stop() {
      stopping = true
      const { book, search } = life
      for (const { rpc, worker } of [book, search]) {
        await Promise.race([
          rpc.close().catch((error: unknown) => log.warn('a thread of the book did not close', { error })),
          new Promise((resolve) => worker.once('exit', resolve)),
        ])
        await worker.terminate()
      }
    },
  }
}
