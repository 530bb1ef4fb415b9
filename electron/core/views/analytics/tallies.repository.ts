import type { Database } from '../../../database/open.ts'
import { type TallySubject, tallyGrainsMs } from '../../live/events/event-tallies.ts'

export interface NamedCount {
  name: string
  count: number
}

export type TalliesRepository = ReturnType<typeof createTalliesRepository>

/** Reads the projector's tallies: whole days by day, the rest by hour. */
export function createTalliesRepository(db: Database) {
  const { hour, day } = tallyGrainsMs
  const sum = db.prepare<
    Record<'from' | 'fromDay' | 'toDay' | 'to', number> & { subject: string },
    NamedCount
  >(
    `SELECT name, sum(count) AS count FROM (
       SELECT name, count FROM tallies
         WHERE subject = :subject AND grain_ms = ${day} AND bucket_ms >= :fromDay AND bucket_ms < :toDay
       UNION ALL
       SELECT name, count FROM tallies
         WHERE subject = :subject AND grain_ms = ${hour} AND bucket_ms >= :from AND bucket_ms < min(:fromDay, :to)
       UNION ALL
       SELECT name, count FROM tallies
         WHERE subject = :subject AND grain_ms = ${hour} AND bucket_ms >= max(:toDay, :fromDay) AND bucket_ms < :to)
     GROUP BY name HAVING sum(count) > 0 ORDER BY sum(count) DESC, name`,
  )
  return {
    /** Non-empty sums by name over [fromMs, toMs), both at whole hours. */
    sums(subject: TallySubject, fromMs: number, toMs: number): NamedCount[] {
      const fromDay = Math.ceil(fromMs / day) * day
      const toDay = Math.floor(toMs / day) * day
      return sum.all({ subject, from: fromMs, fromDay, toDay, to: toMs })
    },
  }
}
