import type { Database } from '../../../database/open.ts'
import type { DncService, OptOut } from '../../people/dnc/dnc.service.ts'
import type { EventsFeature } from './events.feature.ts'

/**
 * Puts the senders of opt-outs on hold, also of possible ones: at the start those not yet processed, then each as it arrives. They are
 * ordered by the delivery they come from: a signed one may replace the fields of an earlier, unsigned event.
 */
export function createOptOutsFeature(parts: {
  stateDb: Database
  dnc: Pick<DncService, 'optOutsTakenTo' | 'takeOptOuts'>
  events: Pick<EventsFeature, 'projector'>
  notes: { optOuts: (count: number, notApplied: number) => void }
}) {
  const { dnc, notes } = parts
  const after = parts.stateDb.prepare<[number], OptOut>(`
    SELECT source_seq AS seq, iif(verdict = 'signed', message_id, NULL) AS messageId, number, coalesce(content, status) AS content,
      received_ms AS receivedMs, opt_out AS sign FROM events
    WHERE opt_out IS NOT NULL AND source_seq > ? AND number IS NOT NULL ORDER BY source_seq LIMIT 1000`)

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
