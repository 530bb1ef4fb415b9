import type { SubscribeOrder } from '#contract/webhooks.ts'

/** Both families to this listener, signed with a new secret: what the Webhooks page asks for unless told otherwise. */
export const toListener = (url: string): SubscribeOrder => ({
  url,
  events: ['dlr', 'mo'],
  receiver: 'here',
  secret: { kind: 'generate' },
  evenIfFits: false,
})
