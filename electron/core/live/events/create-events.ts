import type { Database } from 'better-sqlite3'
import type { EventDetail } from '../../../contract/live/events.ts'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { FirstFailure, Listening } from './gaps.ts'
import { createEventsRepository } from './events.repository.ts'
import { createEventsService } from './events.service.ts'
import { createProjector } from './projector.ts'

export interface EventsOptions {
  /** The connection's open state.db; not closed here. */
  stateDb: Database
  /** The reader of the connection's journal; not closed here. */
  journalReader: Pick<JournalReader, 'bodiesAfter' | 'read' | 'spans' | 'relays' | 'lastSeq'>
  clock: Clock
  log: Log
  /** The current opt-out keywords; asked before each batch. */
  stopWords: () => readonly string[]
  /** What the service last said about a message that was re-read because of a gap. */
  recovered: (messageId: string) => EventDetail['recovered']
  /** Whether the listener can take deliveries now. */
  listening: () => Listening
  /** When the listener first failed to start; null or absent if it never did. */
  firstFailure?: () => FirstFailure | null
  /** Whether a relay is read; absent if never. */
  readsRelay?: () => boolean
}

export type Events = ReturnType<typeof createEvents>

/** The parts that project and read the events of one connection. */
export function createEvents(options: EventsOptions) {
  const { stateDb, journalReader: journal, clock, log, stopWords, listening, recovered } = options
  const projector = createProjector({ stateDb, journal, clock, log, stopWords })
  const repository = createEventsRepository(stateDb)
  const service = createEventsService({
    repository,
    journal,
    projector,
    clock,
    listening,
    ...(options.firstFailure ? { firstFailure: options.firstFailure } : {}),
    ...(options.readsRelay ? { readsRelay: options.readsRelay } : {}),
    recovered,
  })
  return { service, repository, projector, start: projector.start, notifyJournalGrew: projector.notify }
}
