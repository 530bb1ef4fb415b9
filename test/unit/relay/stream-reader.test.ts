import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { expect, it } from 'vitest'
import { encodeDelivery } from '#electron/relay/nats/message.ts'
import { createStreamReader } from '#electron/relay/nats/stream-reader.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'

it('reads one by one what a consumer at a node that doesn’t answer can’t bring, within the page’s limits', async () => {
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
  const messages = [1, 3, 4, 5].map((seq) => {
    return { seq, data: encodeDelivery({ ...kept, body: Buffer.from(`m${seq}`) }) }
  })
  messages.push({ seq: 6, data: Buffer.from('no delivery') })
  let answerMs = 0
  const asked: number[] = []
  const getMessage = async (_stream: string, { seq }: { seq: number }) => {
    asked.push(seq)
    await clock.sleep(answerMs)
    return messages.find((one) => one.seq >= seq) ?? null
  }
  const unreadable: number[] = []
  const reader = createStreamReader({
    js: { consumers: { get } } as unknown as JetStreamClient,
    jsm: { streams: { getMessage } } as unknown as JetStreamManager,
    ...{ stream: 's', subject: 's', clock, lastSeq: () => 6, onSeen() {} },
    onUnreadable: (seq) => unreadable.push(seq),
  })
  const read = async (after: number, bytes = 1_000) => {
    const found = reader.readAfter(after, { items: 10, bytes })
    await clock.advance(10_000)
    return (await found).map(({ seq, body }) => [seq, String(body)])
  }
  const [third, fourth, fifth] = [3, 4, 5].map((seq) => [seq, `m${seq}`])
  expect(await read(1)).toEqual([third, fourth, fifth])
  isRefused = true
  expect(await read(3)).toEqual([fourth, fifth])
  expect(await read(1, 4)).toEqual([third, fourth])
  expect(await read(1, 1)).toEqual([third])
  answerMs = 1_500
  expect(await read(1)).toEqual([third, fourth])
  isRefused = false
  asked.length = 0
  expect(await read(5)).toEqual([])
  expect(asked).toEqual([])
  expect(unreadable).toEqual([6])
})
