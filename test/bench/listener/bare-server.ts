import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from './messages.ts'

/** The machine’s limit: node:http reads the body, answers 200 and does nothing else. */
const server = createServer((req, res) => {
  req.on('data', () => {})
  req.on('end', () => res.end())
})
server.listen(0, '127.0.0.1', () => {
  serveParent((server.address() as AddressInfo).port, () => Promise.resolve(null))
})
