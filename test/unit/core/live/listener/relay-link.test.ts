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

test('keeps the webhook address of the relay it reads, not of the one before', async () => {
  let stored: ReturnType<Parts['settings']['relay']> = {
    mode: 'local',
    url: null,
    inbox: null,
    webhookUrl: null,
  }
  const relay = createRelayLink({
    connectionId: 'c',
    settings: { relay: () => stored, writeRelay: (next) => (stored = next) },
    secrets: { get: () => Promise.resolve(null) } as unknown as Parts['secrets'],
    keepSecret: () => Promise.resolve(),
    forgetSecret: () => Promise.resolve(),
    clock: createFakeClock(),
  })
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
