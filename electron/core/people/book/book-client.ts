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

/** Unused threads end after this long where they may. Each takes about 25 MiB. */
const restAfterMs = 30_000

/** Delay before both threads restart after one of them exits. Calls in progress have failed. */
const restartMs = 500

/** Starts the two threads and keeps them running while they are used. A change is on disk before its call answers. */
export function createBookClient(parts: {
  bookFile: string
  searchFile: string
  clock: Clock
  log: Log
  /** Called when the full check of a large file finds damage, with SQLite's messages. */
  onDamage?: (file: string, problems: string[]) => void
  /** Whether unused threads may end until the next call; default never. */
  mayRest?: () => boolean
}): Book {
  const { bookFile, searchFile, clock, log, onDamage = () => {}, mayRest = () => false } = parts
  const listeners = new Set<(version: number) => void>()
  let stopping = false
  let life: ReturnType<typeof start> | null = start()
  let opening: Promise<BookAnswer<BookOpened>> | null = null
  let calls = 0
  let resting: Promise<void> = Promise.resolve()
  let cancelRest = restLater()

  function running(): NonNullable<typeof life> {
    if (!life && stopping) throw new AppError('BOOK_FAILED', { detail: { key: 'book.threadEnded' } })
    return (life ??= start())
  }

  function restLater(): () => void {
    return clock.after(restAfterMs, () => {
      if (life && calls === 0 && !stopping && mayRest()) {
        const ending = life
        life = opening = null
        resting = end(ending)
      }
      cancelRest = restLater()
    })
  }

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
    const self = { book, search }
    let isOver = false
    for (const { worker } of [book, search])
      worker.once('exit', () => {
        if (isOver || stopping || life !== self) return
        isOver = true
        opening = null
        // Each thread holds state the other lacks, so both restart together.
        void Promise.all([book.worker.terminate(), search.worker.terminate()])
        clock.after(restartMs, () => stopping || (life = start()))
      })
    return self
  }

  async function end({ book, search }: NonNullable<typeof life>): Promise<void> {
    for (const { rpc, worker } of [book, search]) {
      await Promise.race([
        rpc.close().catch((error: unknown) => log.warn('a thread of the book did not close', { error })),
        new Promise((resolve) => worker.once('exit', resolve)),
      ])
      await worker.terminate()
    }
  }

  async function openBoth({ book, search }: NonNullable<typeof life>): Promise<BookAnswer<BookOpened>> {
    const opened = (await book.rpc.open({ bookFile, searchFile })) as BookAnswer<BookOpened>
    if (!opened.ok) return opened
    const { version, damage } = opened.value
    const found = (await search.rpc.open({ bookFile, searchFile })) as BookAnswer<BookOpened['damage']>
    return found.ok ? { ok: true, value: { version, damage: [...damage, ...found.value] } } : found
  }

  async function opened(): Promise<BookOpened> {
    await resting
    opening ??= openBoth(running())
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
    calls++
    try {
      await opened()
      const functions = running()[thread].rpc as unknown as Record<
        Name,
        (...given: Parameters<Functions[Name]>) => Promise<BookAnswer<Value<Name>>>
      >
      const answer = await functions[name](...args)
      if (answer.ok) return answer.value
      throw new AppError(answer.code, answer.data)
    } finally {
      calls--
    }
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
      running().book.worker.postMessage({ to: 'job', port: port1 }, [port1])
      return port2
    },
    onChange(callback) {
      listeners.add(callback)
      return () => void listeners.delete(callback)
    },
    async stop() {
      stopping = true
      cancelRest()
      await resting
      if (life) await end(life)
    },
  }
}
