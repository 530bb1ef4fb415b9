import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { checkEmptyStore } from '../../../jobs/contact-store/empty-store.ts'
import {
  type StoreEvents,
  type StoreFunctions,
  storeGone,
  type StoreOpened,
  type SearchFunctions,
} from '../../../jobs/contact-store/protocol.ts'
import type { EntryName } from '../../../lib/entry-url.ts'
import { type Remote, withCalls } from '../../../threads/calls.ts'
import { takeThread } from '../../../threads/kept-threads.ts'
import { startThread, workLimits } from '../../../threads/own-thread.ts'
import type { PlatformParts } from '../../platform/parts.ts'

type Writes = Remote<Omit<StoreFunctions, 'open' | 'close'>>
type Reads = Remote<Omit<SearchFunctions, 'open' | 'close'>>

/** The contacts and search threads as the core sees them. */
export type ContactStore = Writes & {
  /** Answered by the search thread. */
  reads: Reads
  /** Checks the databases. Starts the threads unless there are no contacts. Rejects with the `STORAGE_*` errors. */
  check(): Promise<StoreOpened['damage']>
  /** True while the store has no contacts and no thread runs. */
  isEmpty(): boolean
  /** Opens the databases. Rejects with the `STORAGE_*` errors. */
  open(): Promise<StoreOpened>
  /** A port through which a job writes rows. The thread must be open. */
  portForJob(): MessagePort
  onChange(callback: (version: number) => void): () => void
  stop(): Promise<void>
}

/** Unused threads end after this long where they may. Each takes about 25 MiB. */
const restAfterMs = 30_000

/** Starts the two threads with the first call that needs them; marking an empty store starts none. A change is on disk before its call answers. */
export function createContactStoreClient(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    contactsFile: string
    searchFile: string
    /** Called when the full check of a large file finds damage, with SQLite's messages. */
    onDamage?: (file: string, problems: string[]) => void
    /** Whether unused threads may end until the next call; default never. */
    mayRest?: () => boolean
  },
): ContactStore {
  const { contactsFile, searchFile, clock, log, onDamage = () => {}, mayRest = () => false } = parts
  const listeners = new Set<(version: number) => void>()
  type Life = ReturnType<typeof start>
  let stopping = false
  let life: Life | null = null
  let isEmpty = false
  let calls = 0
  let resting: Promise<void> = Promise.resolve()
  let cancelRest = restLater()

  function restLater(): () => void {
    return clock.after(restAfterMs, () => {
      if (life && calls === 0 && !stopping && mayRest()) resting = end(life)
      cancelRest = restLater()
    })
  }

  const takeOne = <Calls extends object>(entry: EntryName, name: string) =>
    takeThread<Calls, StoreEvents>(
      name,
      (events) => startThread(entry, events, { name, limits: workLimits, gone: storeGone }),
      {
        changed(version) {
          for (const listener of [...listeners]) listener(version)
        },
        damaged: onDamage,
        log: (level, message, data) => log[level](message, data),
      },
    )

  function start() {
    const contacts = takeOne<StoreFunctions>('contacts-thread', 'contacts')
    const search = takeOne<SearchFunctions>('search-thread', 'search')
    const { port1, port2 } = new MessageChannel()
    contacts.hand({ guest: 'search', port: port1 })
    search.hand({ port: port2 })
    const self = { contacts, search, opened: openBoth(contacts.calls, search.calls), hadJob: false }
    // The next call tries again.
    self.opened.catch(() => end(self))
    // Each thread holds state the other lacks, so both end together.
    void Promise.race([contacts.ended, search.ended]).then((error) => {
      if (error) log.error('A contact store thread failed', { error })
      if (life !== self) return
      life = null
      void contacts.end()
      void search.end()
    })
    return self
  }

  async function openBoth(
    contacts: Remote<StoreFunctions>,
    search: Remote<SearchFunctions>,
  ): Promise<StoreOpened> {
    const { version, damage } = await contacts.open({ contactsFile, searchFile })
    return { version, damage: [...damage, ...(await search.open({ contactsFile, searchFile }))] }
  }

  /** Keeps the threads for another store only if all is closed and no job may still write. */
  async function end(ending: Life, isKept = false): Promise<void> {
    if (life === ending) life = null
    for (const thread of [ending.contacts, ending.search]) {
      const isClosed = await thread.calls.close().then(
        () => true,
        (error: unknown) => log.warn('A contact store thread did not close', { error }),
      )
      await (isClosed && isKept ? thread.leave() : thread.end())
    }
  }

  async function running(): Promise<Life> {
    isEmpty = false
    await resting
    if (!life && stopping) throw storeGone()
    const current = (life ??= start())
    await current.opened
    // It ended meanwhile, and its threads may serve another connection.
    if (life !== current) throw storeGone()
    return current
  }

  const callOf = (thread: 'contacts' | 'search') => async (name: string, args: unknown[]) => {
    calls++
    try {
      const functions: object = (await running())[thread].calls
      return await (functions as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]!(...args)
    } finally {
      calls--
    }
  }

  const call = callOf('contacts')
  const own: Omit<ContactStore, Exclude<keyof Writes, 'setMarks' | 'replaceMarks'>> = {
    setMarks: async (...change) => (isEmpty ? 0 : (call('setMarks', change) as Promise<number>)),
    replaceMarks: async (...from) => (isEmpty ? 0 : (call('replaceMarks', from) as Promise<number>)),
    isEmpty: () => isEmpty,
    async check() {
      const checked = checkEmptyStore({ contactsFile, searchFile }, { clock, log })
      isEmpty = checked.isEmpty
      return isEmpty ? checked.damage : [...checked.damage, ...(await (await running()).opened).damage]
    },
    reads: withCalls<Reads>({}, callOf('search')),
    open: async () => (await running()).opened,
    portForJob() {
      const { port1, port2 } = new MessageChannel()
      if (life) {
        life.hadJob = true
        life.contacts.hand({ guest: 'job', port: port1 })
      } else port1.close()
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
      if (life) await end(life, !life.hadJob)
    },
  }
  return withCalls<Writes, typeof own>(own, call)
}
