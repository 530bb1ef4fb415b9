import { connect } from 'node:net'
import { serveParent } from './messages.ts'

/** Senders that never finish a request and reconnect when dropped. */
const senders = 2_000
const returnMs = 50
const port = Number(process.argv[2])

function attack(): void {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.on('data', () => {})
  socket.on('close', () => setTimeout(attack, returnMs))
  socket.write('POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\nx')
}
for (let index = 0; index < senders; index++) attack()
serveParent(port, () => Promise.resolve(null))
