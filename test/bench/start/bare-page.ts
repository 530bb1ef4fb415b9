import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The least a start can take: Node and a page of one word. */
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><title>Bare</title><p>Ready</p>')
})
server.listen(0, '127.0.0.1', () => {
  console.log(`Bare page ready: http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
})
process.once('SIGTERM', () => process.exit(0))
