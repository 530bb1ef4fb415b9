import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from './messages.ts'

/** The limit of the machine: node:http as it comes, reads the body, answers 200 and does nothing. */
const server = createServer((req, res) => {
  req.on('data', () => {})
  req.on('end', () => res.end())
})
server.listen(0, '127.0.0.1', () => {
  serveParent((server.address() as AddressInfo).port, () => Promise.resolve(null))
})
