import type { Database } from '../../../database/open.ts'
import type { DncService, OptOut } from '../../people/dnc/dnc.service.ts'
import type { OutboxService } from '../../people/outbox/outbox.service.ts'
import type { EventsFeature } from './events.feature.ts'

interface Row extends Omit<OptOut, 'others'> {
  othersJson: string
}

/**
 * Puts the senders of opt-outs on hold, also of possible ones: at the start those not yet processed, then each as it arrives. They are
 * ordered by the delivery they come from: a signed one may replace the fields of an earlier, unsigned event. Where one has the ID of a
 * message, that message's recipient may be the person, too: by its reports, and by what was sent here or by the team. Where
 * nobody is known, a hold says that it can’t be applied, until a report of the message comes, or a request here gets its ID.
 */
export function createOptOutsFeature(parts: {
  stateDb: Database
  dnc: Pick<DncService, 'optOutsTakenTo' | 'takeOptOuts'>
  outbox: Pick<OutboxService, 'onDone'>
  events: Pick<EventsFeature, 'projector'>
  notes: { optOuts: (count: number, notApplied: number) => void }
}) {
  const { dnc, notes } = parts
  const read = <Given extends object>(found: string) =>
    parts.stateDb.prepare<Given, Row>(`
    WITH found AS (${found})
    SELECT at, source_seq AS seq, seq AS firstSeq, iif(verdict = 'signed', '', 'unsigned ') || message_id AS messageId, number,
      coalesce(content, status) AS content, received_ms AS receivedMs, opt_out AS sign, (
        SELECT json_group_array(number) FROM (
          SELECT r.number FROM events r
            WHERE r.message_hash = found.message_hash AND r.message_id = found.message_id AND r.kind = 'dlr' AND r.number IS NOT NULL
          UNION SELECT phone FROM outbox WHERE service_id = found.message_id AND operation = 'send-ott' AND phone <> ''
          UNION SELECT '+' || digits FROM team_sent WHERE message_id = found.message_id AND digits > 0)) AS othersJson
    FROM found ORDER BY at LIMIT 1000`)
  const later = read<{ after: number }>(`
    SELECT source_seq AS at, * FROM events WHERE opt_out IS NOT NULL AND source_seq > :after
    UNION ALL
    SELECT report.source_seq AS at, o.* FROM events o INDEXED BY events_named_opt_outs
      CROSS JOIN events report ON report.message_hash = o.message_hash AND report.message_id = o.message_id
      WHERE o.opt_out IS NOT NULL AND o.kind = 'dlr' AND o.number IS NULL AND report.kind = 'dlr' AND report.opt_out IS NULL
        AND report.source_seq > max(:after, o.source_seq)`)
  /** Those that wait for their person, of one message or, for null, of all. */
  const waiting = read<{ at: number; messageId: string | null }>(`
    SELECT :at AS at, o.* FROM holds h CROSS JOIN events o INDEXED BY events_opt_outs ON o.source_seq = h.event_seq
      WHERE h.digits IS NULL AND h.ended_ms IS NULL AND o.opt_out IS NOT NULL AND o.kind = 'dlr' AND o.number IS NULL
        AND o.message_id = coalesce(:messageId, o.message_id)
        AND EXISTS (SELECT 1 FROM outbox WHERE service_id = o.message_id AND operation = 'send-ott' AND phone <> '')`)

  const take = (rows: readonly Row[]) =>
    dnc.takeOptOuts(
      rows.map(({ othersJson, ...row }) => ({ ...row, others: JSON.parse(othersJson) as string[] })),
    )

  function hold(): void {
    let held = 0
    let notHeld = 0
    for (;;) {
      const rows = later.all({ after: dnc.optOutsTakenTo() })
      if (rows.length === 0) return notes.optOuts(held, notHeld)
      const { count, notApplied } = take(rows)
      held += count
      notHeld += notApplied
    }
  }

  /** A request has got its ID: by the service's answer, or by an operator. */
  function holdNamed(messageId: string | null): void {
    const rows = waiting.all({ at: dnc.optOutsTakenTo(), messageId })
    if (rows.length > 0) notes.optOuts(take(rows).count, 0)
  }
  parts.outbox.onDone(({ serviceId }) => {
    if (serviceId !== null) holdNamed(serviceId)
  })

  let stop = () => {}
  return {
    service: {},
    start() {
      hold()
      holdNamed(null)
      stop = parts.events.projector.onProjected(({ optOuts }) => {
        if (optOuts > 0) hold()
      })
    },
    stop: () => stop(),
  }
}
