import express from 'express'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'svix'
import { serveParent, svixSecret } from './messages.ts'

/** Express with the library that most webhook guides recommend. It verifies, answers 200 and stores nothing. */
const webhook = new Webhook(svixSecret)
const app = express()
app.post('/webhooks', express.raw({ type: () => true }), (req, res) => {
  try {
    webhook.verify(req.body as Buffer, req.headers as Record<string, string>)
    res.sendStatus(200)
  } catch {
    res.sendStatus(401)
  }
})
const server = app.listen(0, '127.0.0.1', () => {
  serveParent((server.address() as AddressInfo).port, () => Promise.resolve(null))
})
