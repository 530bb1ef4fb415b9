import { describe, expect, it } from 'vitest'
import {
  feedBatch,
  type FeedPage,
  feedQuery,
  readFeedPage,
  readFeedQuery,
  readFeedRefusal,
} from '#electron/listener/feed-protocol.ts'

const delivery = { receivedMs: 1, headers: [['x-webhook-signature', 'ab']] as [string, string][], body: '' }
const page: FeedPage = {
  relayId: 'r',
  session: 's',
  path: '/webhooks',
  lastSeq: 9,
  after: 2,
  periods: [],
  gap: { toSeq: 3, fromMs: 1, toMs: null },
  deliveries: [delivery],
}
const read = (changes: object) => readFeedPage(JSON.stringify({ ...page, ...changes }))

describe('the feed protocol', () => {
  it('asks for what follows a position, of the longest id that a relay can have, too', () => {
    const first = { inbox: 'x'.repeat(63), after: 0, sinceMs: 0 }
    const relayId = `switchboard-inbox-${'x'.repeat(63)}@2026-11-23T10:00:00.123456789Z#01234567`
    for (const asked of [first, { ...first, relayId, after: 7, sinceMs: 8, session: 's' }])
      expect(readFeedQuery(feedQuery(asked))).toEqual(asked)
    for (const wrong of [
      '',
      'inbox=main',
      ...['x', '-1', '1.5', '1e300'].map((one) => `inbox=main&after=${one}`),
    ])
      expect(readFeedQuery(new URLSearchParams(`${wrong}&sinceMs=0`)), wrong).toBeNull()
  })

  it('reads a page and what a newer relay adds to it', () => {
    expect(read({ later: true })).toEqual(page)
    const { gap: _gap, ...cut } = page
    for (const text of ['', '[]', 'no', JSON.stringify(cut)]) expect(readFeedPage(text), text).toBeNull()
  })

  it('refuses times that no date can hold, other hosts and endless lists', () => {
    const period = { id: 1, startedMs: 0, aliveMs: 0, endedMs: null }
    expect(read({ periods: [period] })?.periods).toEqual([period])
    for (const wrong of [
      { gap: { ...page.gap, fromMs: 1e300 } },
      { gap: { ...page.gap, toMs: -1 } },
      { path: '@elsewhere.example/' },
      { path: 'webhooks' },
      { relayId: 'x'.repeat(257) },
      { after: 1.5 },
      { periods: [{ ...period, aliveMs: 1e300 }] },
      { periods: Array.from({ length: 1_001 }, (_one, id) => ({ ...period, id })) },
      { deliveries: [{ ...delivery, receivedMs: 0.5 }] },
      { deliveries: Array.from({ length: feedBatch.items + 1 }, () => delivery) },
    ])
      expect(read(wrong), JSON.stringify(wrong).slice(0, 80)).toBeNull()
  })

  it('takes only a reason of a relay for a refusal', () => {
    expect(readFeedRefusal('{"reason":"revoked","error":"text"}')).toBe('revoked')
    for (const other of ['', '<html>', '{"reason":"sign in first"}', '{"error":"revoked"}'])
      expect(readFeedRefusal(other), other).toBeNull()
  })
})
