import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createOutboxRepository } from '#electron/core/people/outbox/outbox.repository.ts'
import { openDatabase } from '#electron/database/open.ts'
import { findProbableReports } from '#electron/jobs/sends/send-reports.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

test('finds the newest report of exactly the number, of the day after the message and of no other one', async () => {
  const stateFile = join(tempFolder(), 'state.db')
  const { db, close } = openDatabase({ file: stateFile, schema: 'state', log: quietLog })
  onTestFinished(close)
  const report = db.prepare(
    `INSERT INTO events (seq, source_seq, kind, message_id, status, number, received_ms, verdict, message_hash, key_hash)
     VALUES (?, 1, 'dlr', ?, ?, ?, ?, 'signed', 1, 1)`,
  )
  const phone = '+4915120000006'
  const sentMs = 5_000
  const rows = [
    ['m-before', 'delivered', phone, sentMs - 1],
    ['m-other', 'submitted', phone, sentMs],
    ['m-other', 'delivered', phone, sentMs + 1],
    ['m-longer', 'failed', `${phone}99`, sentMs + 2],
    ['m-own', 'failed', phone, sentMs + 3],
    ['m-late', 'failed', phone, sentMs + 86_400_000],
  ] as const
  for (const [at, row] of rows.entries()) report.run(at + 1, ...row)
  const repository = createOutboxRepository(db)
  const message = {
    operation: 'send-ott',
    name: '',
    phone,
    contactId: null,
    body: {},
    afterId: null,
  } as const
  repository.add('b', { ...message, serviceId: 'm-own' }, 'done', 0)
  expect(await findProbableReports({ stateFile, messages: [{ id: 7, phone, sentMs }] } as never)).toEqual([
    { itemId: 7, messageId: 'm-other', status: 'delivered', receivedMs: sentMs + 1 },
  ])
})
