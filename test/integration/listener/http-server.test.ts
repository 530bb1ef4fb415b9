import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { createWebhookServer } from '#electron/listener/http-server.ts'
import { defaultLimits } from '#electron/listener/protocol.ts'
import { quietLog } from '../../helpers/quiet-log.ts'

test('survives an answer that fails, at once or later', async () => {
  const server = createWebhookServer({
    receiverAt: () => undefined,
    limits: defaultLimits,
    clock: systemClock,
    log: quietLog,
    onRefused() {},
    answerOther(req) {
      if (req.url === '/metrics') return Promise.reject(new Error('refused for the test'))
      if (req.url === '/readyz') throw new Error('refused for the test')
      return { status: 200, contentType: 'text/plain', body: 'ok' }
    },
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const statusOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).status
  expect(await statusOf('/metrics')).toBe(500)
  expect(await statusOf('/readyz')).toBe(500)
  expect(await statusOf('/healthz')).toBe(200)
})
