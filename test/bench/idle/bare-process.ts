import Database from 'better-sqlite3'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The least that receiving could cost: Node with an HTTP server that commits each request's body, synced, before it answers. */
const db = new Database(process.argv[2]!)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('CREATE TABLE deliveries (body BLOB)')
const insert = db.prepare<[Buffer]>('INSERT INTO deliveries VALUES (?)')

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    insert.run(Buffer.concat(chunks))
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
