import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { encodeBatch, feedBatch } from '#electron/listener/feed-protocol.ts'
import { serveParent } from '../listener/messages.ts'
import { deliveries } from './deliveries.ts'

/** The limit: a WebSocket that sends the same frames, made in advance, and waits for nothing. */
const count = Number(process.argv[2])
const frames: Buffer[] = []
for (let from = 1; from <= count; from += feedBatch.items) {
  const items = deliveries(from, Math.min(feedBatch.items, count - from + 1))
  frames.push(
    encodeBatch({
      lastSeq: count,
      deliveries: items.map(({ receivedMs, headersJson, body }, at) => ({
        seq: from + at,
        receivedMs,
        isSigned: true,
        headers: JSON.parse(headersJson) as [string, string][],
        body,
      })),
    }),
  )
}
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
server.on('connection', (socket) => {
  for (const frame of frames) socket.send(frame)
  socket.close()
})
server.on('listening', () => serveParent((server.address() as AddressInfo).port, () => Promise.resolve(null)))
