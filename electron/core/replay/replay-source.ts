import type { EventDetail, Hole } from '../../contract/events.ts'
import type { Replay } from '../../contract/replay.ts'
import type { JournalReader } from '../../listener/journal.ts'
import type { EventsRepository } from '../live/events/events.repository.ts'
import type { ReplayRepository } from './replay.repository.ts'

/** Where the events of a replay are read from: what this console stored, or a signed file. */
export interface ReplaySource {
  repository: ReplayRepository
  events: EventsRepository
  journal: Pick<JournalReader, 'read'>
  /** The highest delivery that events were made of. */
  watermark: () => number
  recovered: (messageId: string) => EventDetail['recovered']
  holes: () => { holes: Hole[]; recordedSince: string | null }
  /** Events of the span that were deleted before they came here; a file tells so. */
  goneBefore: number
  recording: Replay['recording']
  close(): void
}
