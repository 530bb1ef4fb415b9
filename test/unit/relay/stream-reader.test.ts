import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { expect, it } from 'vitest'
import { encodeDelivery } from '#electron/relay/nats/message.ts'
import { createStreamReader } from '#electron/relay/nats/stream-reader.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'

it('reads one by one what a consumer at a node that doesn’t answer can’t bring', async () => {
  const clock = createFakeClock()
  const kept = { receivedMs: 1, verdict: 'unsigned', secretId: null, remote: '', headersJson: '[]' } as const
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }), stop() {} }
  let isRefused = false
  const consumer = {
    info: () => Promise.resolve({ num_pending: 3 }),
    consume: () => Promise.resolve(silent),
  }
  const get = () => (isRefused ? Promise.reject(new Error('timeout')) : Promise.resolve(consumer))
  // The second message was deleted.
  const messages = [1, 3, 4].map((seq) => {
    return { seq, data: encodeDelivery({ ...kept, body: Buffer.from(`m${seq}`) }) }
  })
  const getMessage = (_stream: string, { seq }: { seq: number }) =>
    Promise.resolve(messages.find((one) => one.seq >= seq) ?? null)
  const reader = createStreamReader({
    js: { consumers: { get } } as unknown as JetStreamClient,
    jsm: { streams: { getMessage } } as unknown as JetStreamManager,
    ...{ stream: 's', subject: 's', clock, lastSeq: () => 4, onSeen() {}, onUnreadable() {} },
  })
  const read = async (after: number) => {
    const found = reader.readAfter(after, { items: 10, bytes: 1_000 })
    await clock.advance(1_000)
    return (await found).map(({ seq, body }) => [seq, String(body)])
  }
  expect(await read(1)).toEqual([
    [3, 'm3'],
    [4, 'm4'],
  ])
  isRefused = true
  expect(await read(3)).toEqual([[4, 'm4']])
})
