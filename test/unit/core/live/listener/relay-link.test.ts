import { expect, test } from 'vitest'
import { createRelayLink } from '#electron/core/live/listener/relay-link.ts'
import type { RelayFeedStatus } from '#electron/listener/protocol.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

type Parts = Parameters<typeof createRelayLink>[0]

const status: RelayFeedStatus = {
  state: 'connected',
  refusal: null,
  detail: null,
  retryAtMs: null,
  behind: 0,
  received: 0,
  refusedSignatures: 0,
  lastDeliveryMs: null,
  webhookUrl: null,
}

/** A link that reads and writes `stored`; the keychain has nothing. */
function linkTo(stored: { relay: ReturnType<Parts['settings']['relay']> }, clock = createFakeClock()) {
  return createRelayLink({
    connectionId: 'c',
    settings: { relay: () => stored.relay, writeRelay: (next) => (stored.relay = next) },
    secrets: { get: () => Promise.resolve(null) } as unknown as Parts['secrets'],
    keepSecret: () => Promise.resolve(),
    forgetSecret: () => Promise.resolve(),
    clock,
  })
}

test('says that a token is missing, which the relay never refused', async () => {
  const relay = linkTo({
    relay: { mode: 'relay', url: 'https://one.example', inbox: 'main', webhookUrl: null },
  })
  await relay.load()
  expect(relay.status()).toMatchObject({ state: 'refused', refusal: 'missing' })
  relay.report({ ...status, state: 'refused', refusal: 'token' })
  await relay.set({ mode: 'relay', url: 'https://one.example', inbox: 'main', token: 't' })
  expect(relay.status()).toMatchObject({ state: 'refused', refusal: 'token' })
})

test('counts the relay as read for 10 s after an answer that nothing waits, and not once it is gone', async () => {
  const clock = createFakeClock()
  const relay = linkTo({ relay: { mode: 'local', url: null, inbox: null, webhookUrl: null } }, clock)
  await relay.set({ mode: 'relay', url: 'https://one.example', inbox: 'main', token: 't' })
  const after = async (ms: number, report: Partial<RelayFeedStatus> | null) => {
    await clock.advance(ms)
    if (report) relay.report({ ...status, ...report })
    return relay.reading()
  }
  expect(await after(0, null)).toBe('behind')
  expect(await after(0, { behind: 2 })).toBe('behind')
  expect(await after(0, {})).toBe('read')
  expect(await after(5_000, { behind: 2 })).toBe('read')
  expect(await after(5_001, { behind: 2 })).toBe('behind')
  expect(await after(0, {})).toBe('read')
  expect(await after(10_001, null), 'it hangs').toBe('behind')
  expect(await after(0, {})).toBe('read')
  expect(await after(0, { state: 'unreachable' }), 'it restarts').toBe('failed')
  expect(await after(0, { behind: 1 })).toBe('behind')
  expect(await after(0, {})).toBe('read')
  relay.loseTrack()
  expect(relay.reading(), 'after a sleep').toBe('behind')
})

test('keeps the webhook address of the relay it reads, not of the one before', async () => {
  const relay = linkTo({ relay: { mode: 'local', url: null, inbox: null, webhookUrl: null } })
  const order = { mode: 'relay' as const, inbox: 'main', token: 't' }
  const late = { ...status, webhookUrl: 'https://one.example/webhooks' }
  await relay.set({ ...order, url: 'https://one.example' })
  relay.report(late)
  expect(relay.webhookUrl()).toBe('https://one.example/webhooks')
  await relay.set({ ...order, url: 'https://two.example' })
  relay.report(late)
  expect(relay.webhookUrl()).toBeNull()
  relay.report({ ...status, webhookUrl: 'https://two.example/hooks' })
  expect(relay.webhookUrl()).toBe('https://two.example/hooks')
})
