import type { Database } from '../../../database/open.ts'
import type { DncService, OptOut } from '../../people/dnc/dnc.service.ts'
import type { EventsFeature } from './events.feature.ts'

/**
 * Puts the senders of opt-outs on hold, also of possible ones: at the start those not yet processed, then each as it arrives. They are
 * ordered by the delivery they come from: a signed one may replace the fields of an earlier, unsigned event. Where one has the ID of a
 * message, that message's recipient may be the person, too: by its reports, and by what was sent here or by the team. Where
 * nobody is known, a hold says that it can’t be applied.
 */
export function createOptOutsFeature(parts: {
  stateDb: Database
  dnc: Pick<DncService, 'optOutsTakenTo' | 'takeOptOuts'>
  events: Pick<EventsFeature, 'projector'>
  notes: { optOuts: (count: number, notApplied: number) => void }
}) {
  const { dnc, notes } = parts
  const after = parts.stateDb.prepare<[number], OptOut>(`
    SELECT * FROM (
      SELECT source_seq AS seq, iif(verdict = 'signed', message_id, NULL) AS messageId, coalesce(content, status) AS content,
        received_ms AS receivedMs, opt_out AS sign, coalesce((
          SELECT group_concat(number, ' / ') FROM (
            SELECT events.number
            UNION ALL SELECT * FROM (
              SELECT r.number FROM events r
                WHERE r.message_hash = events.message_hash AND r.message_id = events.message_id AND r.kind = 'dlr'
              UNION SELECT phone FROM outbox WHERE service_id = events.message_id AND operation = 'send-ott' AND phone <> ''
              UNION SELECT '+' || digits FROM team_sent WHERE message_id = events.message_id AND digits > 0)
            WHERE number IS NOT events.number)), iif(kind = 'dlr', '?', NULL)) AS number
      FROM events WHERE opt_out IS NOT NULL AND source_seq > ?)
    WHERE number IS NOT NULL ORDER BY seq LIMIT 1000`)

  function hold(): void {
    let held = 0
    let notHeld = 0
    for (;;) {
      const optOuts = after.all(dnc.optOutsTakenTo())
      if (optOuts.length === 0) return notes.optOuts(held, notHeld)
      const { count, notApplied } = dnc.takeOptOuts(optOuts)
      held += count
      notHeld += notApplied
    }
  }

  let stop = () => {}
  return {
    service: {},
    start() {
      hold()
      stop = parts.events.projector.onProjected(({ optOuts }) => {
        if (optOuts > 0) hold()
      })
    },
    stop: () => stop(),
  }
}
