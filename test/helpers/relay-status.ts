import type { RelayStatus } from '#contract/live/listener.ts'

/** A connected relay, with changes. */
export const relayStatus = (changes: Partial<RelayStatus> = {}): RelayStatus => ({
  state: 'connected',
  refusal: null,
  detail: null,
  retryAt: null,
  behind: 0,
  received: 5,
  refusedSignatures: 0,
  lastDeliveryAt: null,
  webhookUrl: 'https://relay.example.com/webhooks/main',
  ...changes,
})
