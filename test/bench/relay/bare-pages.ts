import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { feedBatch } from '#electron/listener/feed-protocol.ts'
import { serveParent } from '../listener/messages.ts'
import { deliveries } from './deliveries.ts'

/** The limit: a server that answers with the same pages, made in advance; 404 after the last. */
const count = Number(process.argv[2])
const pages: string[] = []
for (let from = 1; from <= count; from += feedBatch.items) {
  const items = deliveries(from, Math.min(feedBatch.items, count - from + 1))
  const wire = items.map(({ receivedMs, headersJson, body }) => ({
    receivedMs,
    headers: JSON.parse(headersJson) as [string, string][],
    body: Buffer.from(body).toString('base64'),
  }))
  pages.push(JSON.stringify({ deliveries: wire }))
}
const server = createServer(({ url }, res) => {
  const page = pages[Number(url!.slice(1))]
  res.writeHead(page === undefined ? 404 : 200).end(page)
})
server.listen(0, '127.0.0.1', () =>
  serveParent((server.address() as AddressInfo).port, () => Promise.resolve(null)),
)
