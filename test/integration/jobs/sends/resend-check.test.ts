import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createOutboxRepository } from '#electron/core/people/outbox/outbox.repository.ts'
import { openDatabase } from '#electron/database/open.ts'
import { checkResend } from '#electron/jobs/sends/resend-check.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const hourMs = 3_600_000

test('finds the newest report of an arrival, also before a failed one and of a blocked number, of exactly the number, of the day after the message and of no other one', async () => {
  const dir = tempFolder()
  const file = (schema: 'state' | 'cache' | 'contacts') => {
    const opened = openDatabase({ file: join(dir, `${schema}.db`), schema, log: quietLog })
    onTestFinished(opened.close)
    return opened.db
  }
  file('cache')
  file('contacts')
  const db = file('state')
  const report = db.prepare(
    `INSERT INTO events (seq, source_seq, kind, message_id, status, number, received_ms, verdict, message_hash, key_hash)
     VALUES (?, 1, 'dlr', ?, ?, ?, ?, 'signed', 1, 1)`,
  )
  const arrival = db.prepare(
    `INSERT INTO arrivals (grain_ms, bucket_ms, name, count, first_seq, last_seq) VALUES (${hourMs}, ?, 'dlr', 1, ?, ?)`,
  )
  const [phone, heldPhone, later] = ['+4915120000006', '+4915120000007', '+4915120000008'] as const
  const sentMs = hourMs + 5_000
  const rows = [
    ['m-before', 'delivered', phone, sentMs - 1],
    ['m-other', 'submitted', phone, sentMs],
    ['m-other', 'delivered', phone, sentMs + 1],
    ['m-longer', 'delivered', `${phone}99`, sentMs + 2],
    ['m-own', 'delivered', phone, sentMs + 3],
    ['m-failed', 'submitted', phone, sentMs + 4],
    ['m-failed', 'failed', phone, sentMs + 5],
    ['m-held', 'delivered', heldPhone, sentMs + 6],
    ['m-later', 'delivered', later, sentMs + hourMs + 7],
    ['m-later', 'failed', later, sentMs + hourMs + 8],
    ['m-late', 'delivered', phone, sentMs + 24 * hourMs],
  ] as const
  for (const [at, row] of rows.entries()) report.run(at + 1, ...row)
  arrival.run(hourMs, 1, 8)
  arrival.run(2 * hourMs, 9, 10)
  arrival.run(25 * hourMs, 11, 11)
  db.prepare(
    "INSERT INTO holds (phone, digits, evidence, source, since_ms) VALUES (?, ?, 'STOP', 'by-hand', 1)",
  ).run(heldPhone, Number(heldPhone))
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
  const lists = { cacheFile: join(dir, 'cache.db'), contactsFile: join(dir, 'contacts.db') }
  const item = { id: 7, operation: 'send-ott', phone, others: [], sentMs } as const
  const items = [
    item,
    { ...item, id: 8, operation: 'create-contact' as const },
    { ...item, id: 9, phone: heldPhone },
    { ...item, id: 10, phone: later, sentMs: sentMs + hourMs },
  ]
  const order = { stateFile: join(dir, 'state.db'), searchFile: '', items }
  const control = { yieldToMessages: async () => {} }
  const reports = [
    { itemId: 10, messageId: 'm-later', status: 'delivered', receivedMs: sentMs + hourMs + 7 },
    { itemId: 9, messageId: 'm-held', status: 'delivered', receivedMs: sentMs + 6 },
    { itemId: 7, messageId: 'm-other', status: 'delivered', receivedMs: sentMs + 1 },
  ]
  expect(await checkResend({ ...order, ...lists, reportsOnly: false }, control)).toEqual({
    reports,
    blockedIds: [9],
  })
  const noLists = { cacheFile: join(dir, 'absent.db'), contactsFile: join(dir, 'absent.db') }
  expect(await checkResend({ ...order, ...noLists, reportsOnly: true }, control)).toEqual({
    reports,
    blockedIds: [],
  })
})
