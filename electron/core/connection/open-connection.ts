import type { Said } from '../../contract/phrases.ts'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'
import type { Connection } from '../../contract/connection/connections.ts'
import { AppError } from '../../contract/errors.ts'
import type { Notice } from '../../contract/connection/status.ts'
import type { Language } from '../../contract/texts.ts'
import { type Database, openDatabase } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import { createDisposer } from '../../lib/disposable.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { createLog } from '../../lib/log.ts'
import { createLazyJournalReader } from '../live/events/journal-reader.ts'
import type { ListenerPlace } from '../live/listener/listener-settings.ts'
import type { ListenerThreads } from '../live/listener/listener-thread-client.ts'
import { createContactStoreClient } from '../people/contact-store/contact-store-client.ts'
import { openContactList } from '../people/contact-store/contact-list.ts'
import type { Notify } from '../platform/notifications/notifications.service.ts'
import type { SettingsRepository } from '../platform/settings/settings.repository.ts'
import type { Ports } from '../ports.ts'
import type { FieldNameStore } from '../service/field-names/field-name-store.ts'
import { connectionDir, restoredKey } from './connection-files.ts'
import { createLifecycle, type StopReason } from './feature-list.ts'
import { features, startOrder, stopOrder } from './features.ts'
import { createOperatorNotes } from './operator-notes.ts'
import type { SignIn } from './sign-in.ts'

export interface OpenConnectionParts {
  ports: Ports
  connection: Connection
  signIn: SignIn
  fieldNameStore: FieldNameStore
  settings: SettingsRepository
  consoleDb: Database
  reloadNotes: () => void
  /** Webhook secrets that came with the start of the app and are not saved. */
  startSecrets: { label: string; value: string }[]
  /** Address and port of all listeners, and the thread they run in. */
  listenerPlace: ListenerPlace
  listenerThreads: ListenerThreads
  /** Where the host serves the app's own page, if at a port. */
  pagePort: number | undefined
  keepSecret: (account: string, value: string) => Promise<unknown>
  forgetSecret: (account: string) => Promise<unknown>
  clock: Clock
  notice: (id: string, error: AppError, severity?: Notice['severity']) => void
  clearNotice: (id: string) => void
  notify: Notify
  /** Removes a group's notification from the page. */
  withdrawNote: (group: string) => void
  onChange: () => void
  language: () => Language
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
  const { clock, ports, notice, clearNotice, settings, fieldNameStore } = parts
  const { client, credentials, network, problem: signInProblem } = parts.signIn
  let connection = parts.connection
  const { id } = connection
  const dir = connectionDir(ports.dataDir, id)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const logOf = (scope: string) =>
    createLog(
      (entry) => ports.log(entry),
      scope,
      () => clock.now(),
    )
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
  const storeFiles = { contactsFile: join(dir, 'book.db'), searchFile: join(dir, 'search.db') }
  const contactStore = createContactStoreClient({
    ...storeFiles,
    clock,
    log: logOf('contact-store'),
    onDamage: noticeDamageInUse,
    mayRest: () => !parts.isInFront() && !hasTasks(),
  })
  let closed: Promise<void> | null = null
  let contactList: ReturnType<typeof openContactList> | null = null
  const closeContacts = () =>
    (closed ??= (async () => {
      contactList?.close()
      await contactStore.stop()
    })())
  closing.add(closeContacts)
  // The contacts' threads start while this one checks its databases.
  const openingContacts = contactStore.open()
  // A failure counts where it is awaited.
  openingContacts.catch(() => {})

  const stateDb = open('state')
  const cacheDb = open('cache')
  const { damage } = await openingContacts
  for (const { file, asideFile, lost } of damage) noticeDamage(file, asideFile, lost)
  contactList = openContactList(storeFiles, contactStore)
  const journalFile = join(dir, 'journal.db')
  const journal = createLazyJournalReader(journalFile)
  closing.add(() => journal.close())
  const notify: Notify = (note) => parts.notify({ ...note, connection: { id, name: connection.name } })
  const notes = createOperatorNotes({ notify, withdraw: parts.withdrawNote, connectionId: id, clock })
  closing.add(() => notes.stop())

  const { services, opened } = features.open({
    dir,
    stateDb,
    cacheDb,
    consoleDb: parts.consoleDb,
    reloadNotes: parts.reloadNotes,
    journal,
    journalFile,
    jobFiles: {
      ...storeFiles,
      cacheFile: cacheDb.name,
      stateFile: stateDb.name,
      // Jobs take what it is when they start.
      get language() {
        return parts.language()
      },
    },
    language: parts.language,
    contactStore,
    contactList,
    connection: () => connection,
    client,
    credentials,
    fieldNames: () => fieldNameStore.of(id),
    fieldNameStore,
    settings,
    ports,
    startSecrets: parts.startSecrets,
    keepSecret: parts.keepSecret,
    forgetSecret: parts.forgetSecret,
    listenerPlace: parts.listenerPlace,
    listenerThreads: parts.listenerThreads,
    pagePort: parts.pagePort,
    notify,
    notes,
    notice,
    clearNotice,
    noticeDamage,
    noticeDamageInUse,
    onChange: parts.onChange,
    clock,
    logOf,
  })
  closing.add(services.tasks.onEnd(notes.taskEnded))
  hasTasks = () => services.tasks.list().some(({ state }) => state === 'running' || state === 'waiting')
  const lifecycle = createLifecycle(opened, startOrder, stopOrder, {
    'client.close': () => client.close(),
    'contactStore.close': closeContacts,
  })
  let cancelWarmUp = () => {}
  closing.add(() => cancelWarmUp())
  let stopReason: StopReason | undefined
  closing.add(() => lifecycle.stop(stopReason))

  /** Explains why a restored connection's outbox is paused, until it is resumed. */
  function noticeRestored(): void {
    const key = restoredKey(id)
    const restored = settings.get(key, z.object({ createdAt: z.string() }))
    if (!restored) return
    if (services.outbox.drain().state === 'paused') {
      const createdAt = `${restored.createdAt.slice(0, 16).replace('T', ' ')} UTC`
      notice(`restored/${id}`, new AppError('RESTORED_PAUSED', { createdAt }))
    } else settings.remove(key)
  }

  return {
    features: services,
    connection: () => connection,
    /** Updates name, colour and production flag. */
    rename(next: Connection): void {
      connection = next
      parts.onChange()
    },
    credentials,
    /** Stops this sign-in from saving, because a newer one replaces it. */
    detachSignIn: parts.signIn.detach,
    /** The keychain error that prevents the sign-in. */
    signInProblem,
    client,
    network,
    /** Time of the databases' check. */
    openedAt,
    /** It came to the front. Its contacts should answer soon, but their start must not delay the first page. */
    warmUp(): void {
      cancelWarmUp()
      cancelWarmUp = clock.after(warmUpAfterMs, () => {
        if (!parts.isInFront()) return
        contactStore
          .open()
          .catch((error: unknown) => logOf('contact-store').warn('the contacts did not open', { error }))
      })
    },
    /** Resolves when the listener has a port or an error. */
    async start(): Promise<void> {
      await lifecycle.start()
      notes.interrupted(services.tasks.interruptedAtStart())
      noticeRestored()
      await services.webhooks.pointSandboxHere()
      void services.webhooks.reportFormerPort()
    },
    /** The machine is about to sleep: begins a gap. */
    suspend: () => services.listener.suspend(),
    /** The machine is awake: checks the listener, which ends the gap, and calls the service. */
    async wake(): Promise<void> {
      // The network watch shows the outcome.
      void services.campaigns
        .pollNow()
        .catch((error: unknown) =>
          logOf('service').info('the service did not answer after a sleep', { error }),
        )
      await services.listener.wake()
      parts.onChange()
    },
    /** `reason` is stored with the gap. */
    stop(reason?: StopReason): Promise<void> {
      stopReason = reason
      return closing.dispose()
    },
  }
}
