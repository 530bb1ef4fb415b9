import { createBirpc } from 'birpc'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { AppError } from '../../contract/errors.ts'
import type { BookAnswer, BookEvents, BookFunctions, BookOpened } from '../../jobs/book/protocol.ts'
import type { Clock } from '../../lib/clock.ts'
import { entryUrl } from '../../lib/entry-url.ts'
import type { Log } from '../../lib/log.ts'

type Value<Name extends keyof BookFunctions> =
  ReturnType<BookFunctions[Name]> extends BookAnswer<infer T> ? T : never

/** The book thread seen from the core: its calls, which reject with `AppError`s. */
export type Book = {
  [Name in Exclude<keyof BookFunctions, 'open' | 'close'>]: (
    ...args: Parameters<BookFunctions[Name]>
  ) => Promise<Value<Name>>
} & {
  /** Opens the databases. Rejects with the `STORAGE_*` errors. */
  open(): Promise<BookOpened>
  /** A port by which a job writes rows; the thread must be open. */
  portForJob(): MessagePort
  /** Calls `callback` after changes. Returns its removal. */
  onChange(callback: (version: number) => void): () => void
  stop(): Promise<void>
}

/** A thread that ended by itself is started again after this long; the calls under way have failed. */
const restartMs = 500

/** Starts the book thread and keeps it running. What a call promised is on disk before its answer. */
export function createBookClient(parts: {
  bookFile: string
  searchFile: string
  clock: Clock
  log: Log
}): Book {
  const { bookFile, searchFile, clock, log } = parts
  const listeners = new Set<(version: number) => void>()
  let stopping = false
  let life = start()
  let opening: Promise<BookAnswer<BookOpened>> | null = null

  function start() {
    const worker = new Worker(entryUrl('book-thread'), { name: 'book' })
    const events: BookEvents = {
      changed(version) {
        for (const listener of [...listeners]) listener(version)
      },
      log: (level, message, data) => log[level](message, data),
    }
    const rpc = createBirpc<BookFunctions, BookEvents>(events, {
      post: (data) => worker.postMessage(data),
      on: (receive) => void worker.on('message', receive),
      timeout: -1,
    })
    worker.on('error', (error) => log.error('the book thread failed', { error }))
    worker.on('exit', () => {
      rpc.$close(new AppError('BOOK_FAILED', { detail: 'its thread ended' }))
      opening = null
      if (!stopping) clock.after(restartMs, () => stopping || (life = start()))
    })
    return { worker, rpc }
  }

  async function opened(): Promise<BookOpened> {
    opening ??= life.rpc.open({ bookFile, searchFile }) as Promise<BookAnswer<BookOpened>>
    const answer = await opening
    if (answer.ok) return answer.value
    opening = null
    throw new AppError(answer.code, answer.data)
  }

  async function call<Name extends Exclude<keyof BookFunctions, 'open' | 'close'>>(
    name: Name,
    ...args: Parameters<BookFunctions[Name]>
  ): Promise<Value<Name>> {
    await opened()
    const functions = life.rpc as unknown as Record<
      Name,
      (...given: Parameters<BookFunctions[Name]>) => Promise<BookAnswer<Value<Name>>>
    >
    const answer = await functions[name](...args)
    if (answer.ok) return answer.value
    throw new AppError(answer.code, answer.data)
  }

  return {
    open: opened,
    create: (...args) => call('create', ...args),
    update: (...args) => call('update', ...args),
    setNote: (...args) => call('setNote', ...args),
    tag: (...args) => call('tag', ...args),
    trash: (...args) => call('trash', ...args),
    restore: (...args) => call('restore', ...args),
    purge: (...args) => call('purge', ...args),
    applyOutbox: (...args) => call('applyOutbox', ...args),
    setMarks: (...args) => call('setMarks', ...args),
    replaceMarks: (...args) => call('replaceMarks', ...args),
    importRows: (...args) => call('importRows', ...args),
    undoImport: (...args) => call('undoImport', ...args),
    figures: () => call('figures'),
    count: (...args) => call('count', ...args),
    tagKeys: () => call('tagKeys'),
    anchors: (...args) => call('anchors', ...args),
    portForJob() {
      const { port1, port2 } = new MessageChannel()
      life.worker.postMessage(port1, [port1])
      return port2
    },
    onChange(callback) {
      listeners.add(callback)
      return () => void listeners.delete(callback)
    },
    async stop() {
      stopping = true
      const { rpc, worker } = life
      await Promise.race([rpc.close(), new Promise((resolve) => worker.once('exit', resolve))])
      await worker.terminate()
    },
  }
}
