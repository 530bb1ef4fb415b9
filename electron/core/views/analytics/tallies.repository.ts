import type { Database } from '../../../database/open.ts'
import { type TallySubject, tallyGrainsMs } from '../../live/events/event-tallies.ts'

export interface NamedCount {
  name: string
  count: number
}

export interface TalliesRepository {
  /** Sums by name over [fromMs, toMs), both at whole hours. Empty ones are left out. */
  sums(subject: TallySubject, fromMs: number, toMs: number): NamedCount[]
}

/** Reads the tallies that the projector keeps: whole days by day, what is left at the ends by hour. */
export function createTalliesRepository(db: Database): TalliesRepository {
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
    sums(subject, fromMs, toMs) {
      const fromDay = Math.ceil(fromMs / day) * day
      const toDay = Math.floor(toMs / day) * day
      return sum.all({ subject, from: fromMs, fromDay, toDay, to: toMs })
    },
  }
}
