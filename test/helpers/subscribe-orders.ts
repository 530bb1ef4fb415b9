import type { SubscribeOrder } from '#contract/live/webhooks.ts'

/** The Webhooks page's default: both families to this listener, signed with a new secret. */
export const toListener = (url: string): SubscribeOrder => ({
  url,
  events: ['dlr', 'mo'],
  receiver: 'here',
  secret: { kind: 'generate' },
  evenIfFits: false,
})
