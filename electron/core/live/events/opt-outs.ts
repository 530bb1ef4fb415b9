import type { Database } from '../../../database/open.ts'
import type { DncService, OptOut } from '../../people/dnc/dnc.service.ts'

/**
 * Gives the function that holds the senders of opt-outs stored since the last call. It answers how many senders it put on hold, and
 * costs little when nothing is new.
 */
export function createOptOuts(db: Database, dnc: Pick<DncService, 'optOutsTakenTo' | 'takeOptOuts'>) {
  const after = db.prepare<[number], OptOut>(`
    SELECT seq, number, content, received_ms AS receivedMs FROM events
    WHERE kind = 'mo' AND kind <> 'dlr' AND stop_word = 1 AND seq > ? AND number IS NOT NULL ORDER BY seq LIMIT 1000`)
  return (): number => {
    let held = 0
    for (;;) {
      const optOuts = after.all(dnc.optOutsTakenTo())
      if (optOuts.length === 0) return held
      held += dnc.takeOptOuts(optOuts)
    }
  }
}
