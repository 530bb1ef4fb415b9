import type { InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import type { eventsContract } from '../../../contract/live/events.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type CompiledFilter, compileFilter } from './event-filter.ts'
import { type EventScan, overAfter } from './event-scan.ts'
import type { ProjectorState } from './event-writer.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { EventsRepository } from './events.repository.ts'

type Outputs = InferContractRouterOutputs<typeof eventsContract>

/** A search as in the contract, with defaults filled in. */
export type SearchInput = Pick<InferContractRouterInputs<typeof eventsContract>['search'], 'filter'> & {
  limit: number
  cursor?: number | undefined
  patienceMs?: number | undefined
}

const everything = compileFilter({})

/** A page of a filter's events up to the watermark, newest first. Ends when `signal` aborts. */
export async function searchEvents(
  source: { repository: EventsRepository; scan: EventScan; state: ProjectorState; clock: Clock },
  filter: CompiledFilter,
  { limit, cursor, patienceMs = Infinity }: SearchInput,
  signal?: AbortSignal,
): Promise<Outputs['search']> {
  const { repository, scan, clock } = source
  const { watermark, storedTotal } = source.state
  const patience = { isOver: overAfter(clock, patienceMs), signal }
  const newestUpTo = (seq: number) => repository.select(everything).newest(0, seq, 1)[0]

  const upToSeq = Math.min(cursor === undefined ? watermark : cursor - 1, watermark)
  const found = await scan.newest(filter, upToSeq, limit + 1, patience)
  const items = found.rows.slice(0, limit)
  const isFull = found.rows.length > limit
  const searchedTo = isFull || found.searchedToSeq === null ? undefined : newestUpTo(found.searchedToSeq)
  return {
    items,
    nextCursor: isFull ? items.at(-1)!.seq : searchedTo ? searchedTo.seq + 1 : null,
    ...(searchedTo ? { searchedBackTo: searchedTo.receivedAt } : {}),
    matchingTotal: filter.passesAll ? storedTotal : await scan.count(filter, watermark, patience),
    storedTotal,
    upToSeq: watermark,
    asOf: isoTime(clock.now()),
  }
}
