import { join } from 'node:path'
import type { Connection } from '../../contract/connections.ts'
import { AppError } from '../../contract/errors.ts'
import type { Database } from '../../database/open.ts'
import { marks } from '../../jobs/book/book-types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { createBookClient } from '../contacts/book-client.ts'
import { openContactList } from '../contacts/contact-list.ts'
import { type ContactsService, createContactsService } from '../contacts/contacts.service.ts'
import { createOperations } from '../outbox/operations.ts'
import { createOutboxEffects } from '../outbox/outbox-effects.ts'
import { createOutboxRepository } from '../outbox/outbox.repository.ts'
import { createOutboxService, type OutboxService } from '../outbox/outbox.service.ts'
import type { CredentialSource } from '../service-client/credentials.ts'
import type { ServiceClient } from '../service-client/create-service-client.ts'
import { createTasksRepository } from '../tasks/tasks.repository.ts'
import { createTasksService, type TasksService } from '../tasks/tasks.service.ts'

/** What is known of people: the contact book, and what is to be done with it at the service. */
export interface People {
  features: { tasks: TasksService; contacts: ContactsService; outbox: OutboxService }
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
  client: ServiceClient
  credentials: CredentialSource
  connection: () => Connection
  clock: Clock
  logOf: (scope: string) => Log
  noticeDamage: (file: string, asideFile: string | null, lost: string) => void
}): Promise<People> {
  const { dir, stateDb, client, clock, logOf, connection } = parts
  const files = { bookFile: join(dir, 'book.db'), searchFile: join(dir, 'search.db') }
  const book = createBookClient({ ...files, clock, log: logOf('book') })
  try {
    const { damage } = await book.open()
    for (const { file, asideFile, lost } of damage) parts.noticeDamage(file, asideFile, lost)
  } catch (error) {
    await book.stop()
    throw error
  }
  const list = openContactList(files, book)
  const tasks = createTasksService({ repository: createTasksRepository(stateDb), clock, log: logOf('tasks') })

  function blockedBecause(phone: string): AppError | null {
    const row = list.byDigits([Number(phone.replace(/\D/g, ''))])[0]
    if (!row || row.marks === 0) return null
    return new AppError('ON_DNC', { phone, reason: row.marks & marks.dnc ? 'on the list' : 'held here' })
  }

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
    trash: book,
    blockedBecause,
    connection,
    clock,
    log: logOf('outbox'),
  })
  const contacts = createContactsService({
    book,
    list,
    outbox,
    tasks,
    client,
    factsOf: () => ({ dncEntry: null, hold: null }),
    importName: () => null,
    connection,
    clock,
  })
  let unwatch = () => {}

  return {
    features: { tasks, contacts, outbox },
    start() {
      outbox.start()
      // A new sign-in, or one that works again, lets what waited for it go.
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
