import type { Said } from '../../contract/phrases.ts'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Connection } from '../../contract/connection/connections.ts'
import { AppError } from '../../contract/errors.ts'
import { openDatabase } from '../../database/open.ts'
import { createDisposer } from '../../lib/disposable.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { createLazyJournalReader } from '../live/events/journal-reader.ts'
import { createContactStoreClient } from '../people/contact-store/contact-store-client.ts'
import { openContactList } from '../people/contact-store/contact-list.ts'
import type { Notify } from '../platform/notifications/notifications.service.ts'
import type { RestoredState } from './backup/restored-state.ts'
import { connectionDir } from './connection-files.ts'
import { createDatabaseDescriptors } from './erase/erase-files.ts'
import { createLifecycle, type StopReason } from './feature-list.ts'
import { type CoreParts, features, startOrder, stopOrder } from './features.ts'
import { createOperatorNotes } from './operator-notes.ts'
import type { SignIn } from './sign-in.ts'

interface OpenConnectionParts extends CoreParts {
  connection: Connection
  signIn: SignIn
  restored: RestoredState
  /** Removes a group's notification from the page. */
  withdrawNote: (group: string) => void
  /** Whether the window shows this connection. */
  isInFront: () => boolean
}

const warmUpAfterMs = 1_000

/** One open connection: its databases, its client, and the features over them. */
export type OpenConnection = Awaited<ReturnType<typeof openConnection>>

/**
 * Opens a connection's databases and its features. Nothing runs before `start`. Throws the `STORAGE_*` errors of a database that cannot
 * be used; a damaged one is set aside with a notice.
 */
export async function openConnection(parts: OpenConnectionParts) {
  const closing = createDisposer()
  try {
    return await compose(parts, closing)
  } catch (error) {
    parts.signIn.client.close()
    await closing.dispose()
    throw error
  }
}

async function compose(parts: OpenConnectionParts, closing: ReturnType<typeof createDisposer>) {
  const { connection: saved, signIn, restored, withdrawNote, isInFront, ...core } = parts
  const { clock, ports, notice, fieldNameStore, logOf } = core
  const { client, credentials, network } = signIn
  let signInProblem = signIn.problem
  let connection = saved
  const { id } = connection
  const dir = connectionDir(ports.dataDir, id)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const databaseDescriptors = createDatabaseDescriptors()
  closing.add(databaseDescriptors.close)
  const noticeDamage = (file: string, asideFile: string | null, lost: Said) =>
    notice(
      `damage/${id}/${basename(file)}`,
      new AppError('STORAGE_DAMAGED', {
        file: basename(file),
        asideFile: asideFile === null ? { key: 'salvage.nothingAside' } : basename(asideFile),
        lost,
      }),
    )
  const noticeDamageInUse = (file: string, problems: string[]) =>
    notice(
      `damage/${id}/${file}`,
      new AppError('STORAGE_DAMAGED_IN_USE', { file, detail: problems[0] ?? 'unreadable' }),
    )
  const open = (schema: 'state' | 'cache') => {
    const opened = openDatabase({
      file: join(dir, `${schema}.db`),
      schema,
      log: logOf('database'),
      now: () => clock.now(),
      clock,
      onDamage: (problems) => noticeDamageInUse(`${schema}.db`, problems),
    })
    closing.add(() => opened.close())
    if (opened.setAside) noticeDamage(opened.file, opened.setAside.asideFile, opened.setAside.lost)
    return opened.db
  }
  const openedAt = isoTime(clock.now())
  let hasTasks = () => true
  const storeFiles = { contactsFile: join(dir, 'contacts.db'), searchFile: join(dir, 'search.db') }
  const contactStore = createContactStoreClient({
    ...storeFiles,
    clock,
    log: logOf('contact-store'),
    onDamage: noticeDamageInUse,
    mayRest: () => !isInFront() && !hasTasks(),
  })
  let closed: Promise<void> | null = null
  let contactList: ReturnType<typeof openContactList> | null = null
  const closeContacts = () =>
    (closed ??= (async () => {
      contactList?.close()
      await contactStore.stop()
    })())
  closing.add(closeContacts)
  // With contacts, their threads start while this one checks its databases.
  const checkingContacts = contactStore.check()
  // A failure is handled where it is awaited.
  checkingContacts.catch(() => {})

  const stateDb = open('state')
  const cacheDb = open('cache')
  for (const { file, asideFile, lost } of await checkingContacts) noticeDamage(file, asideFile, lost)
  contactList = openContactList(storeFiles, contactStore)
  const journalFile = join(dir, 'journal.db')
  const journal = createLazyJournalReader(journalFile)
  closing.add(() => journal.close())
  const notify: Notify = (note) => core.notify({ ...note, connection: { id, name: connection.name } })
  const notes = createOperatorNotes({ notify, withdraw: withdrawNote, connectionId: id, clock })
  closing.add(() => notes.stop())

  const { services, opened } = features.open({
    ...core,
    dir,
    databaseDescriptors,
    stateDb,
    cacheDb,
    journal,
    journalFile,
    jobFiles: {
      ...storeFiles,
      cacheFile: cacheDb.name,
      stateFile: stateDb.name,
      // A getter, so each job starts with the current language.
      get language() {
        return core.language()
      },
    },
    contactStore,
    contactList,
    connection: () => connection,
    mayListen: () => restored.isSignedIn(id),
    client,
    credentials,
    network,
    fieldNames: () => fieldNameStore.of(id),
    notify,
    notes,
    signInProblem: () => signInProblem,
    noticeDamage,
    noticeDamageInUse,
  })
  closing.add(services.tasks.onEnd(notes.taskEnded))
  hasTasks = () => services.tasks.list().some(({ state }) => state === 'running' || state === 'waiting')
  const lifecycle = createLifecycle(opened, startOrder, stopOrder, {
    'client.close': () => client.close(),
    'contactStore.close': closeContacts,
  })
  let cancelWarmUp = () => {}
  closing.add(() => cancelWarmUp())
  const ended = new AbortController()
  let stopReason: StopReason | undefined
  closing.add(() => lifecycle.stop(stopReason))

  /** Explains why a restored connection's outbox is paused, until it is resumed. */
  function noticeRestored(): void {
    const state = restored.of(id)
    if (!state) return
    if (services.outbox.drain().state === 'paused') {
      const createdAt = `${state.createdAt.slice(0, 16).replace('T', ' ')} UTC`
      notice(`restored/${id}`, new AppError('RESTORED_PAUSED', { createdAt }))
    } else if (state.signedIn) restored.end(id)
  }

  /** Asks the service for what may have changed meanwhile. The network watch shows the outcome. */
  function callService(): void {
    services.webhooks.readAgain()
    void services.campaigns
      .pollNow()
      .catch((error: unknown) => logOf('service').info('The service did not answer', { error }))
  }

  return {
    features: services,
    connection: () => connection,
    /** Updates name, colour, production flag and country. */
    rename(next: Connection): void {
      const hasMoved = next.country !== connection.country
      connection = next
      if (hasMoved) services.numberCountry.changed()
      core.onChange()
    },
    credentials,
    signIn,
    /** Why the sign-in can't be read. */
    get signInProblem() {
      return signInProblem
    },
    signedIn: () => void (signInProblem = null),
    client,
    network,
    /** Time of the databases' check. */
    openedAt,
    /** It came to the front. Its contacts should answer soon, but their start must not delay the first page. */
    warmUp(): void {
      cancelWarmUp()
      cancelWarmUp = clock.after(warmUpAfterMs, () => {
        if (!isInFront() || contactStore.isEmpty()) return
        contactStore
          .open()
          .catch((error: unknown) => logOf('contact-store').warn('The contacts did not open', { error }))
      })
    },
    /** Resolves when the listener has a port or an error. */
    async start(): Promise<void> {
      await lifecycle.start()
      notes.interrupted(services.tasks.interruptedAtStart())
      noticeRestored()
      if (services.webhooks.hasLostSecrets()) services.webhooks.readAgain()
      await services.webhooks.pointSandboxHere()
    },
    /** The machine is about to sleep: begins a gap. */
    suspend: () => services.listener.suspend(),
    /** The machine is awake: checks the listener, which ends the gap, and calls the service. */
    async wake(): Promise<void> {
      callService()
      await services.listener.wake()
      core.onChange()
    },
    callService,
    /** Aborts when it stops. Its streams end then: its databases close. */
    ended: ended.signal,
    /** `reason` is stored with the gap. */
    stop(reason?: StopReason): Promise<void> {
      stopReason = reason
      ended.abort()
      return closing.dispose()
    },
  }
}
