import type { Database } from '../../../database/open.ts'

/** Final delivery reports of a period over all traffic, and how many have the error code. */
export interface ReportShare {
  reports: number
  withCode: number
  /** Number of newest events counted when the period has more; null when all were counted. */
  newestOf: number | null
}

/** Most events counted, newest first: about 20 ms of the core thread. */
const mostEvents = 100_000
const minuteMs = 60_000

/** Counts final reports of the last minutes and those with an error code (null: any). `submitted` isn't final. */
export function createReportShare(
  stateDb: Database,
  eventsMax = mostEvents,
): (code: number | null, minutes: number, nowMs: number) => ReportShare {
  const firstSeq = stateDb
    .prepare<[number, number], number | null>(
      'SELECT min(first_seq) FROM arrivals WHERE grain_ms = ? AND bucket_ms >= ?',
    )
    .pluck()
  const share = stateDb.prepare<
    { code: number | null; fromSeq: number },
    { reports: number; withCode: number | null; isCut: number | null }
  >(
    `SELECT count(*) AS reports, sum(CASE WHEN :code IS NULL THEN error_code IS NOT NULL ELSE error_code IS :code END) AS withCode,
       :fromSeq < (SELECT max(seq) FROM events) - ${eventsMax} + 1 AS isCut
     FROM events NOT INDEXED WHERE seq >= max(:fromSeq, (SELECT max(seq) FROM events) - ${eventsMax} + 1)
       AND kind = 'dlr' AND status <> 'submitted'`,
  )
  return (code, minutes, nowMs) => {
    const fromSeq = firstSeq.get(minuteMs, nowMs - minutes * minuteMs) ?? null
    if (fromSeq === null) return { reports: 0, withCode: 0, newestOf: null }
    const { reports, withCode, isCut } = share.get({ code, fromSeq })!
    return { reports, withCode: withCode ?? 0, newestOf: isCut === 1 ? eventsMax : null }
  }
}
