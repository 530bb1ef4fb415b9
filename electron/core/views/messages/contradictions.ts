import { digitsToFind } from '../../../lib/phone/number-digits.ts'
import type { Message } from '../../../contract/domain.ts'
import type { EventRow } from '../../../contract/live/events.ts'
import type { Contradiction } from '../../../contract/views/messages.ts'
import { isFinal, rankOf } from '../../live/events/message-status.ts'

/** Reports have no status `rejected`: the service's report statuses end with `failed`. */
const asReported = (status: string) => (status === 'rejected' ? 'failed' : status)

/** The same for a number with and without its country code. */
const endOf = (number: string) => digitsToFind(number).slice(-7)

/**
 * Where the service's record of a message and its reports disagree. A record that is further along is no
 * contradiction, since reports may be missing. `asOfMs`: when the record was read, since 1970.
 */
export function contradictionsOf(
  record: Pick<Message, 'status' | 'to'>,
  asOfMs: number,
  events: readonly EventRow[],
): Contradiction[] {
  const reports = events.filter(
    (event): event is EventRow & { status: string } => event.kind === 'dlr' && event.status !== null,
  )
  const isNewer = (event: EventRow) => Date.parse(event.receivedAt) > asOfMs
  const found: Contradiction[] = []
  const furthest = reports.reduce<(EventRow & { status: string }) | null>(
    (best, event) => (best === null || rankOf(event.status) > rankOf(best.status) ? event : best),
    null,
  )
  if (furthest && record.status !== null) {
    const recordRank = rankOf(record.status)
    const reportRank = rankOf(furthest.status)
    const bothEnded = isFinal(recordRank) && isFinal(reportRank)
    const kind =
      bothEnded && asReported(record.status) !== asReported(furthest.status)
        ? 'differs'
        : !bothEnded && reportRank > recordRank
          ? 'ahead'
          : null
    if (kind)
      found.push({
        kind,
        recordSays: record.status,
        eventSays: furthest.status,
        eventSeq: furthest.seq,
        isNewer: isNewer(furthest),
      })
  }
  const { to } = record
  const elsewhere = reports.find(
    ({ number }) => to !== null && number !== null && endOf(number) !== endOf(to),
  )
  if (to !== null && elsewhere)
    found.push({
      kind: 'number',
      recordSays: to,
      eventSays: elsewhere.number!,
      eventSeq: elsewhere.seq,
      isNewer: isNewer(elsewhere),
    })
  return found
}
