import Sqlite from 'better-sqlite3'
import express from 'express'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { secret, serveParent } from './messages.ts'

/** The receiver most people would write: Express, verify, insert with a unique index, commit, 200, one event at a time. */
const db = new Sqlite(process.argv[2]!)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec(`CREATE TABLE events (
  id INTEGER PRIMARY KEY, message_id TEXT, event TEXT, status TEXT, body TEXT, received_at TEXT,
  UNIQUE (message_id, event, status))`)
const insert = db.prepare(
  'INSERT OR IGNORE INTO events (message_id, event, status, body, received_at) VALUES (?, ?, ?, ?, ?)',
)

const app = express()
app.post('/webhooks', express.raw({ type: () => true }), (req, res) => {
  const body = req.body as Buffer
  const expected = createHmac('sha256', secret).update(body).digest()
  const received = Buffer.from(String(req.headers['x-webhook-signature']), 'hex')
  if (received.length !== 32 || !timingSafeEqual(expected, received)) {
    res.sendStatus(401)
    return
  }
  const text = body.toString()
  const event = JSON.parse(text) as { message_id: string; event: string; status?: string }
  insert.run(event.message_id, event.event, event.status ?? '', text, new Date().toISOString())
  res.sendStatus(200)
})
const server = app.listen(0, '127.0.0.1', () => {
  serveParent((server.address() as AddressInfo).port, () =>
    Promise.resolve(db.prepare<[], number>('SELECT count(*) FROM events').pluck().get()!),
  )
})
