import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { type Sandbox, signIn, startReceiver, startSandbox, until } from './raw.ts'

async function subscribed(
  options: Parameters<typeof startSandbox>[0] = {},
  answer?: (count: number) => number | null,
  body: Record<string, unknown> = { events: ['dlr', 'mo'], secret: 'a secret' },
) {
  const clock = createFakeClock()
  const receiver = await startReceiver(answer)
  const raw = await signIn(await startSandbox({ clock, ...options }))
  const subscription = (await raw.post('/webhooks', { url: receiver.url, ...body })).body
  const status = async () => (await raw.get('/webhooks/subscriptions')).body.data[0].status
  return { clock, raw, sandbox: raw.sandbox, subscription, status, received: receiver.received }
}

const signature = (body: Buffer) => createHmac('sha256', 'a secret').update(body).digest('hex')

describe('payloads', () => {
  const failed = { status: 'failed', error_code: 2, destination: '+4915112345678' } as const
  const content = 'STOP — «grüße» 👍'
  test.each<[string, (sandbox: Sandbox) => object, object, string[], boolean]>([
    [
      'delivery reports',
      (sandbox) => sandbox.emitDlr({ ...failed, errorCode: 2 }),
      { event: 'dlr', ...failed },
      ['message_id', 'delivered_at'],
      true,
    ],
    [
      'inbound messages',
      (sandbox) => sandbox.emitMo({ content, source: '+4915112345678' }),
      { event: 'mo', content, source: '+4915112345678' },
      ['message_id', 'destination', 'received_at'],
      true,
    ],
    [
      'unsigned delivery reports',
      (sandbox) => sandbox.emitDlr({ status: 'delivered' }),
      { event: 'dlr', status: 'delivered', error_code: null },
      ['message_id', 'destination', 'delivered_at'],
      false,
    ],
  ])(
    'sends %s with the spec’s fields, signed over the raw body',
    async (_what, emit, sent, more, isSigned) => {
      const secret = isSigned ? { secret: 'a secret' } : {}
      const { sandbox, received } = await subscribed({}, undefined, { events: ['dlr', 'mo'], ...secret })
      const event = emit(sandbox)
      await until(() => received.length === 1, 'the delivery')
      const { raw, json, headers } = received[0]!
      expect(json).toEqual(event)
      expect(json).toMatchObject(sent)
      expect(Object.keys(json).sort()).toEqual([...Object.keys(sent), ...more].sort())
      expect(headers['content-type']).toBe('application/json')
      expect(headers['x-webhook-signature']).toBe(isSigned ? signature(raw) : undefined)
    },
  )

  test('sends a subscription only the events it includes', async () => {
    const { sandbox, received } = await subscribed({}, undefined, { events: ['message.failed', 'mo'] })
    for (const status of ['submitted', 'delivered', 'failed', 'expired'] as const) sandbox.emitDlr({ status })
    sandbox.emitMo({ content: 'hello' })
    sandbox.emitDlr({ status: 'failed', tenant: 'Larkspur Clinic' })
    await until(() => received.length === 2 && sandbox.stats().webhooks.open === 0, 'two deliveries')
    expect(received.map(({ json }) => json.status ?? json.event).sort()).toEqual(['failed', 'mo'])
  })
})

describe('the last half hour', () => {
  test('is sent at once to the first subscription only, with its own times', async () => {
    const { clock, raw, sandbox, received } = await subscribed({ history: true })
    await until(() => received.length > 0 && sandbox.stats().webhooks.open === 0, 'the events')
    const events = received.map(({ json }) => json)
    const reports = events.filter(({ event }) => event === 'dlr')
    expect(reports.length).toBeGreaterThan(100)
    expect(new Set(reports.map(({ message_id }) => message_id)).size).toBe(reports.length)
    expect(events.some(({ event }) => event === 'mo')).toBe(true)
    const times = events.map((event) => Date.parse(event.delivered_at ?? event.received_at))
    expect(Math.max(...times)).toBeLessThanOrEqual(clock.now())
    expect(Math.min(...times)).toBeGreaterThan(clock.now() - 30 * 60_000)
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(20 * 60_000)
    const { message_id: id, delivered_at: at, status } = reports[0]
    const { body } = await raw.get(`/messages/${id}`)
    expect([body.updated_at, body.status === 'rejected' ? 'failed' : body.status]).toEqual([at, status])
    const second = await startReceiver()
    await raw.post('/webhooks', { url: second.url, events: ['dlr', 'mo'] })
    expect([second.received, sandbox.stats().webhooks.open]).toEqual([[], 0])
  })
})

describe('retries', () => {
  test('retries 5 s and 25 s after an answer other than 200, then fails until a later event succeeds', async () => {
    const given = await subscribed({}, (count) => (count <= 3 ? 204 : 200))
    const { clock, sandbox, status, received } = given
    sandbox.emitDlr({ status: 'delivered' })
    const attempts = () => sandbox.deliveries()[0]!.attempts.length
    await until(() => attempts() === 1, 'the first attempt')
    await clock.advance(4_999)
    expect(received.length).toBe(1)
    await clock.advance(1)
    await until(() => attempts() === 2, 'the second attempt')
    await clock.advance(24_999)
    expect(received.length).toBe(2)
    await clock.advance(1)
    await until(() => attempts() === 3, 'the third attempt')
    await clock.advance(25_000)
    expect(received.length).toBe(3)
    expect(new Set(received.map(({ raw: body }) => body.toString())).size).toBe(1)
    const attempt = { answer: 204 }
    expect(sandbox.deliveries()).toMatchObject([{ state: 'failed', attempts: [attempt, attempt, attempt] }])
    expect(sandbox.stats().webhooks).toMatchObject({ attempts: 3, delivered: 0, failed: 1, open: 0 })
    expect(await status()).toBe('failed')
    sandbox.emitDlr({ status: 'delivered' })
    await until(() => received.length === 4 && sandbox.stats().webhooks.open === 0, 'the next event')
    expect(await status()).toBe('active')
  })
})
