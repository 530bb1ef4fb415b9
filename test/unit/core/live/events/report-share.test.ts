import { expect, test } from 'vitest'
import { createReportShare } from '#electron/core/live/events/report-share.ts'
import { openState } from '../../views/campaigns/open-state.ts'

const minuteMs = 60_000

test('computes an error code’s share of recent final reports over all campaigns', () => {
  const db = openState()
  const share = createReportShare(db)
  const nowMs = 100 * minuteMs
  expect(share(2, 10, nowMs)).toEqual({ reports: 0, withCode: 0, newestOf: null })
  const event = db.prepare(
    `INSERT INTO events (seq, source_seq, kind, message_id, status, error_code, received_ms, verdict, message_hash, key_hash)
     VALUES (:seq, :seq, :kind, 'm', :status, :code, :ms, 'signed', :seq, :seq)`,
  )
  const arrival = db.prepare(
    'INSERT INTO arrivals (grain_ms, bucket_ms, name, count, first_seq, last_seq) VALUES (60000, :ms, :name, 1, :seq, :seq)',
  )
  const put = (seq: number, minute: number, status: string | null, code: number | null) => {
    const ms = minute * minuteMs
    event.run({ seq, kind: status === null ? 'mo' : 'dlr', status, code, ms })
    arrival.run({ seq, ms, name: `${status ?? 'mo'} ${seq}` })
  }
  put(1, 50, 'failed', 2)
  put(2, 95, 'submitted', null)
  put(3, 95, 'delivered', null)
  put(4, 96, 'failed', 2)
  put(5, 97, 'failed', 3)
  put(6, 98, null, null)
  put(7, 99, 'delivered', null)
  expect(share(2, 10, nowMs)).toEqual({ reports: 4, withCode: 1, newestOf: null })
  expect(share(null, 10, nowMs)).toEqual({ reports: 4, withCode: 2, newestOf: null })
  expect(share(2, 60, nowMs)).toEqual({ reports: 5, withCode: 2, newestOf: null })
  expect(createReportShare(db, 3)(2, 60, nowMs)).toEqual({ reports: 2, withCode: 0, newestOf: 3 })
})
