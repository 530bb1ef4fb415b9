import type { ReportedHere } from '../../../contract/views/messages.ts'
import type { EventsService } from '../../live/events/events.service.ts'
import { contradictionsOf } from './contradictions.ts'

/**
 * Answers contradicted by a local report that is further along or has another final status, with its arrival.
 * For an answer without a status, any report counts.
 */
export function reportedHere(
  events: Pick<EventsService, 'ofMessage' | 'messageStatus'>,
  answers: readonly { id: string; status: string | null }[],
): ReportedHere[] {
  return answers.flatMap(({ id, status }) => {
    const furthest = events.messageStatus(id)
    if (furthest === null || furthest === status) return []
    const known = events.ofMessage(id).events.map(({ event }) => event)
    const [otherwise] = contradictionsOf({ status, to: null }, 0, known)
    const report =
      status === null
        ? known.find((event) => event.kind === 'dlr' && event.status === furthest)
        : known.find(({ seq }) => seq === otherwise?.eventSeq)
    return report?.status ? [{ id, status: report.status, at: report.receivedAt }] : []
  })
}
