import type { FailureGroups } from '../../../contract/views/analytics.ts'
import { AppError } from '../../../contract/errors.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { callingCodeOf, regionsOf } from '../../../lib/phone/numbering-plans.ts'
import type { EventsRepository } from '../../live/events/events.repository.ts'

/** Newest events read: about 40 ms of the core thread. */
const newestOf = 100_000
/** Groups listed; the rest become one count. */
const groupsMax = 50
/** A calling code has at most three digits, and none is a prefix of another. */
const prefixLength = 3

type Group = FailureGroups['groups'][number]

/** Groups the failed reports of a period by error code and destination. Throws `INVALID_INPUT`. */
export function createFailureGroups(parts: {
  db: Database
  events: Pick<EventsRepository, 'seqBounds'>
  clock: Clock
}): (span: { from: string; to: string }) => FailureGroups {
  const select = parts.db.prepare<
    [number, number, number, number],
    { code: number; prefix: string | null; count: number }
  >(
    `SELECT error_code AS code, CASE WHEN number LIKE '+%' THEN substr(number, 2, ${prefixLength}) END AS prefix, count(*) AS count
     FROM events NOT INDEXED WHERE seq >= ? AND seq <= ? AND error_code IS NOT NULL AND received_ms >= ? AND received_ms < ?
     GROUP BY 1, 2`,
  )
  return ({ from, to }) => {
    const fromMs = Date.parse(from)
    const toMs = Date.parse(to)
    if (Number.isNaN(fromMs) || Number.isNaN(toMs))
      throw new AppError('INVALID_INPUT', { detail: { key: 'input.periodOpen' } })
    const bounds = parts.events.seqBounds(fromMs, toMs)
    const lowest = bounds ? Math.max(bounds.firstSeq, bounds.lastSeq - newestOf + 1) : 0
    const groups = new Map<string, Group>()
    for (const { code, prefix, count } of bounds ? select.all(lowest, bounds.lastSeq, fromMs, toMs) : []) {
      const callingCode = prefix === null ? null : (callingCodeOf(prefix)?.code ?? null)
      const key = `${code} ${callingCode}`
      const group = groups.get(key)
      if (group) group.count += count
      else
        groups.set(key, {
          code: String(code),
          callingCode,
          regions: callingCode === null ? [] : [...regionsOf(callingCode)],
          count,
        })
    }
    const ranked = [...groups.values()].sort((a, b) => b.count - a.count || Number(a.code) - Number(b.code))
    return {
      groups: ranked.slice(0, groupsMax),
      others: ranked.slice(groupsMax).reduce((sum, { count }) => sum + count, 0),
      newestOf: bounds && lowest > bounds.firstSeq ? newestOf : null,
      asOf: isoTime(parts.clock.now()),
    }
  }
}
