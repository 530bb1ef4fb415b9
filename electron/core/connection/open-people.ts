import { join } from 'node:path'
import type { Connection } from '../../contract/connections.ts'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Book, createBookClient } from '../people/book/book-client.ts'
import { openContactList } from '../people/book/contact-list.ts'
import { type ContactsService, createContactsService } from '../people/contacts/contacts.service.ts'
import { createDncChecks, type DncChecks } from '../people/dnc/dnc-checks.ts'
import { createDncRepository } from '../people/dnc/dnc.repository.ts'
import { createDncService, type DncService } from '../people/dnc/dnc.service.ts'
import { createHoldsRepository, type HoldsRepository } from '../people/dnc/holds.repository.ts'
import { createErrorCodesRepository } from '../views/error-codes/error-codes.repository.ts'
import { createErrorCodesService, type ErrorCodesService } from '../views/error-codes/error-codes.service.ts'
import {
  createTemplatesFeature,
  type TemplatesFeature,
} from '../people/templates/create-templates-feature.ts'
import { createContactExport } from '../people/contacts/contact-export.ts'
import { createHoldHandOff } from '../people/dnc/hold-hand-off.ts'
import { createFileTasks, type FileTasks } from '../platform/file-tasks/file-tasks.ts'
import { createFileStore, type FileStore } from '../platform/files/file-store.ts'
import { createImportsRepository } from '../people/imports/imports.repository.ts'
import { createImportsService, type ImportsService } from '../people/imports/imports.service.ts'
import { createOperations } from '../people/outbox/operations.ts'
import { createOutboxEffects } from '../people/outbox/outbox-effects.ts'
import { createOutboxRepository } from '../people/outbox/outbox.repository.ts'
import { createOutboxService, type OutboxService } from '../people/outbox/outbox.service.ts'
import type { JobFiles } from '../../jobs/work/protocol.ts'
import type { SandboxAccess } from '../ports.ts'
import type { CredentialSource } from '../service/credentials/credentials.ts'
import type { ServiceClient } from '../service/client/create-service-client.ts'
import { createDialectProbe, type DialectProbe } from '../service/field-names/dialect-probe.ts'
import type { SettingsRepository } from '../platform/settings/settings.repository.ts'
import type { FieldNames } from '../service/field-names/field-names.ts'
import { createTasksRepository } from '../platform/tasks/tasks.repository.ts'
import { createTasksService, type TasksService } from '../platform/tasks/tasks.service.ts'

/** What is known of people: the contact book, and what is to be done with it at the service. */
export interface People {
  features: TemplatesFeature & {
    tasks: TasksService
    contacts: ContactsService
    outbox: OutboxService
    dnc: DncService
    checks: DncChecks
    holds: HoldsRepository
    book: Book
    isOnDncList: (digits: number) => boolean
    contactOf: (digits: number) => { serviceId: string | null } | null
    isFileNeeded: (fileId: string) => boolean
    errorCodes: ErrorCodesService
    probe: DialectProbe
    files: FileStore
    imports: ImportsService
    fileTasks: FileTasks
    exportContacts: ReturnType<typeof createContactExport>
    handOffHolds: ReturnType<typeof createHoldHandOff>
    jobFiles: JobFiles
  }
  start(): void
  /** Before the client is closed: nothing more is begun. */
  stop(): Promise<void>
  /** After it. */
  close(): Promise<void>
}

/** Opens the book of a connection and the features over it. Nothing runs before `start`. */
export async function openPeople(parts: {
  dir: string
  stateDb: Database
  cacheDb: Database
  fieldNames: FieldNames
  settingsRepository: SettingsRepository
  client: ServiceClient
  credentials: CredentialSource
  connection: () => Connection
  clock: Clock
  logOf: (scope: string) => Log
  noticeDamage: (file: string, asideFile: string | null, lost: string) => void
  noticeDamageInUse: (file: string, problems: string[]) => void
  openSandbox: () => Promise<SandboxAccess>
}): Promise<People> {
  const { dir, stateDb, cacheDb, client, clock, logOf, connection } = parts
  const files = { bookFile: join(dir, 'book.db'), searchFile: join(dir, 'search.db') }
  const book = createBookClient({ ...files, clock, log: logOf('book'), onDamage: parts.noticeDamageInUse })
  try {
    const { damage } = await book.open()
    for (const { file, asideFile, lost } of damage) parts.noticeDamage(file, asideFile, lost)
  } catch (error) {
    await book.stop()
    throw error
  }
  const list = openContactList(files, book)
  const tasks = createTasksService({ repository: createTasksRepository(stateDb), clock, log: logOf('tasks') })

  const jobFiles = { ...files, cacheFile: cacheDb.name, stateFile: stateDb.name }
  const store = createFileStore(join(dir, 'files'), clock)
  const fileTasks = createFileTasks({ store, tasks, jobFiles })
  const holds = createHoldsRepository(stateDb)
  const dncRepository = createDncRepository(cacheDb)
  const importsRepository = createImportsRepository(stateDb)
  const dnc = createDncService({
    connectionId: connection().id,
    cacheFile: cacheDb.name,
    stateFile: stateDb.name,
    repository: dncRepository,
    holds,
    settings: parts.settingsRepository,
    client,
    book,
    tasks,
    clock,
    log: logOf('dnc'),
  })
  const blockedBecause = (phone: string) => dnc.blockedBecause(Number(phone.replace(/\D/g, '')))

  const repository = createOutboxRepository(stateDb)
  const effects = createOutboxEffects({
    repository,
    apply: (changes) => book.applyOutbox(changes),
    clock,
    log: logOf('outbox'),
  })
  const outbox = createOutboxService({
    repository,
    client,
    operations: createOperations(client),
    effects,
    trash: {
      restore: (batchId) => book.restore(batchId, dnc.sources),
      purge: (batchId) => book.purge(batchId),
    },
    isInBook: (contactId) => list.rows([contactId]).length > 0,
    blockedBecause,
    connection,
    clock,
    log: logOf('outbox'),
  })
  const imports = createImportsService({
    repository: importsRepository,
    store,
    book,
    dnc,
    tasks,
    fileTasks,
    jobFiles,
    isInBook: (importId) => list.ids({ filter: { importId }, exceptIds: [] }, 0, 1).length > 0,
    clock,
    log: logOf('imports'),
  })
  const contacts = createContactsService({
    book,
    list,
    outbox,
    tasks,
    client,
    factsOf: dnc.factsOf,
    dncList: dnc.listState,
    blockedBecause: dnc.blockedBecause,
    importName: imports.name,
    connection,
    clock,
    log: logOf('contacts'),
  })
  const probe = createDialectProbe({
    client,
    cacheDb,
    fieldNames: parts.fieldNames,
    connectionId: connection().id,
    tasks,
    clock,
    log: logOf('probe'),
  })
  const sending = createTemplatesFeature({
    stateDb,
    plansDir: join(dir, 'sends'),
    outbox,
    tasks,
    store,
    jobFiles,
    client,
    dnc,
    nameOf: (contactId) => list.rows([contactId])[0]?.name ?? null,
    connection,
    openSandbox: parts.openSandbox,
    clock,
  })
  let unwatch = () => {}

  return {
    features: {
      ...sending,
      tasks,
      contacts,
      outbox,
      dnc,
      checks: createDncChecks({ stateDb, dnc, store, tasks, jobFiles, clock }),
      holds,
      book,
      isOnDncList: (digits) => dncRepository.find(digits) !== null,
      contactOf: (digits) => list.byDigits([digits])[0] ?? null,
      isFileNeeded: importsRepository.isFileNeeded,
      errorCodes: createErrorCodesService({
        repository: createErrorCodesRepository(cacheDb, stateDb),
        client,
        tasks,
        clock,
      }),
      probe,
      files: store,
      jobFiles,
      imports,
      fileTasks,
      exportContacts: createContactExport({ fileTasks, clock }),
      handOffHolds: createHoldHandOff({ dnc, store, clock }),
    },
    start() {
      dnc.start()
      sending.sends.start()
      contacts.start()
      imports.lookUpInterrupted()
      outbox.start()
      // The outbox waits for a sign-in.
      unwatch = parts.credentials.onChange(({ status }) => {
        if (status === 'signed-in' && outbox.drain().state === 'signed-out') outbox.resume()
      })
    },
    async stop() {
      unwatch()
      await tasks.stop()
      await outbox.stop()
    },
    async close() {
      await outbox.settled()
      list.close()
      await book.stop()
    },
  }
}
