import { createBirpc } from 'birpc'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { AppError } from '../../../contract/errors.ts'
import type {
  StoreAnswer,
  StoreEvents,
  StoreFunctions,
  StoreOpened,
  SearchFunctions,
} from '../../../jobs/contact-store/protocol.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type EntryName, entryUrl } from '../../../lib/entry-url.ts'
import type { Log } from '../../../lib/log.ts'
import { heapLimits } from '../../platform/tasks/job-runner.ts'

type Functions = Omit<StoreFunctions, 'open' | 'close'> & Omit<SearchFunctions, 'open' | 'close'>
type Value<Name extends keyof Functions> =
  Awaited<ReturnType<Functions[Name]>> extends StoreAnswer<infer T> ? T : never

/** The contacts and search threads as the core sees them. Every call rejects with `AppError`s. */
export type ContactStore = {
  [Name in keyof Functions]: (...args: Parameters<Functions[Name]>) => Promise<Value<Name>>
} & {
  /** Opens the databases. Rejects with the `STORAGE_*` errors. */
  open(): Promise<StoreOpened>
  /** A port through which a job writes rows. The thread must be open. */
  portForJob(): MessagePort
  /** Calls `callback` after changes. Returns the unsubscribe. */
  onChange(callback: (version: number) => void): () => void
  stop(): Promise<void>
}

/** Unused threads end after this long where they may. Each takes about 25 MiB. */
const restAfterMs = 30_000

/** Delay before both threads restart after one of them exits. Calls in progress have failed. */
const restartMs = 500

const threadEnded = () => new AppError('CONTACTS_FAILED', { detail: { key: 'contactStore.threadEnded' } })

/** Starts the two threads and keeps them running while they are used. A change is on disk before its call answers. */
export function createContactStoreClient(parts: {
  contactsFile: string
  searchFile: string
  clock: Clock
  log: Log
  /** Called when the full check of a large file finds damage, with SQLite's messages. */
  onDamage?: (file: string, problems: string[]) => void
  /** Whether unused threads may end until the next call; default never. */
  mayRest?: () => boolean
}): ContactStore {
  const { contactsFile, searchFile, clock, log, onDamage = () => {}, mayRest = () => false } = parts
  const listeners = new Set<(version: number) => void>()
  let stopping = false
  let life: ReturnType<typeof start> | null = start()
  let opening: Promise<StoreAnswer<StoreOpened>> | null = null
  let calls = 0
  let resting: Promise<void> = Promise.resolve()
  let cancelRest = restLater()

  function running(): NonNullable<typeof life> {
    if (!life && stopping) throw threadEnded()
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
    const worker = new Worker(entryUrl(entry), { name, resourceLimits: heapLimits })
    const events: StoreEvents = {
      changed(version) {
        for (const listener of [...listeners]) listener(version)
      },
      damaged: onDamage,
      log: (level, message, data) => log[level](message, data),
    }
    const rpc = createBirpc<Calls, StoreEvents>(events, {
      post: (data) => worker.postMessage(data),
      on: (receive) => void worker.on('message', receive),
      timeout: -1,
    })
    worker.on('error', (error) => log.error(`The ${name} thread failed`, { error }))
    worker.on('exit', () => rpc.$close(threadEnded()))
    return { worker, rpc }
  }

  function start() {
    const contacts = startThread<StoreFunctions>('contacts-thread', 'contacts')
    const search = startThread<SearchFunctions>('search-thread', 'search')
    const { port1, port2 } = new MessageChannel()
    contacts.worker.postMessage({ to: 'search', port: port1 }, [port1])
    search.worker.postMessage(port2, [port2])
    const self = { contacts, search }
    let isOver = false
    for (const { worker } of [contacts, search])
      worker.once('exit', () => {
        if (isOver || stopping || life !== self) return
        isOver = true
        opening = null
        // Each thread holds state the other lacks, so both restart together.
        void Promise.all([contacts.worker.terminate(), search.worker.terminate()])
        clock.after(restartMs, () => stopping || (life = start()))
      })
    return self
  }

  async function end({ contacts, search }: NonNullable<typeof life>): Promise<void> {
    for (const { rpc, worker } of [contacts, search]) {
      await Promise.race([
        rpc.close().catch((error: unknown) => log.warn('A contact store thread did not close', { error })),
        new Promise((resolve) => worker.once('exit', resolve)),
      ])
      await worker.terminate()
    }
  }

  async function openBoth({ contacts, search }: NonNullable<typeof life>): Promise<StoreAnswer<StoreOpened>> {
    const opened = (await contacts.rpc.open({ contactsFile, searchFile })) as StoreAnswer<StoreOpened>
    if (!opened.ok) return opened
    const { version, damage } = opened.value
    const found = (await search.rpc.open({ contactsFile, searchFile })) as StoreAnswer<StoreOpened['damage']>
    return found.ok ? { ok: true, value: { version, damage: [...damage, ...found.value] } } : found
  }

  async function opened(): Promise<StoreOpened> {
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
    thread: 'contacts' | 'search',
    name: Name,
    ...args: Parameters<Functions[Name]>
  ): Promise<Value<Name>> {
    calls++
    try {
      await opened()
      const functions = running()[thread].rpc as unknown as Record<
        Name,
        (...given: Parameters<Functions[Name]>) => Promise<StoreAnswer<Value<Name>>>
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
    create: (...args) => call('contacts', 'create', ...args),
    update: (...args) => call('contacts', 'update', ...args),
    setNote: (...args) => call('contacts', 'setNote', ...args),
    tag: (...args) => call('contacts', 'tag', ...args),
    tagBatch: (...args) => call('contacts', 'tagBatch', ...args),
    undoTags: (...args) => call('contacts', 'undoTags', ...args),
    trash: (...args) => call('contacts', 'trash', ...args),
    restore: (...args) => call('contacts', 'restore', ...args),
    personTraces: (...args) => call('contacts', 'personTraces', ...args),
    erasePerson: (...args) => call('contacts', 'erasePerson', ...args),
    truncateLog: () => call('contacts', 'truncateLog'),
    purge: (...args) => call('contacts', 'purge', ...args),
    applyOutbox: (...args) => call('contacts', 'applyOutbox', ...args),
    setMarks: (...args) => call('contacts', 'setMarks', ...args),
    replaceMarks: (...args) => call('contacts', 'replaceMarks', ...args),
    undoProgress: (...args) => call('contacts', 'undoProgress', ...args),
    undoImport: (...args) => call('contacts', 'undoImport', ...args),
    figures: () => call('search', 'figures'),
    count: (...args) => call('search', 'count', ...args),
    ids: (...args) => call('search', 'ids', ...args),
    tagKeys: () => call('search', 'tagKeys'),
    clearIndex: () => call('search', 'clearIndex'),
    truncateIndexLog: () => call('search', 'truncateIndexLog'),
    order: (...args) => call('search', 'order', ...args),
    portForJob() {
      const { port1, port2 } = new MessageChannel()
      running().contacts.worker.postMessage({ to: 'job', port: port1 }, [port1])
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
