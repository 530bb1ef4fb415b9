import { expect, it } from 'vitest'
import { inboundProblems, type Receiving } from '#electron/core/live/listener/inbound-problem.ts'

const fine: Receiving = {
  hasReceived: true,
  listener: 'ready',
  relay: 'none',
  missingSecrets: 0,
  subscription: null,
  unproven: 0,
  isRead: true,
}

it.each<[string, Partial<Receiving>, string[]]>([
  ['nothing arrived yet', {}, []],
  ['a secret is lost', { missingSecrets: 1 }, ['inbound.secret']],
  ['a new subscription replaced the lost secret', { missingSecrets: 1, subscription: 'arrived' }, []],
  [
    'a new subscription replaced it, and others are rejected',
    { missingSecrets: 1, subscription: 'arrived', unproven: 1 },
    ['inbound.rejected'],
  ],
  [
    'the listener is starting, so no secret is known',
    { listener: 'starting', missingSecrets: 1 },
    ['inbound.checking'],
  ],
  ['the listener has no port or can’t store', { listener: 'failed' }, ['inbound.listener']],
  ['some deliveries are rejected', { unproven: 1 }, ['inbound.rejected']],
  ['inbound messages arrive, and others are rejected', { subscription: 'arrives', unproven: 1 }, []],
  ['the secret of the subscription is not known', { subscription: 'missing' }, ['inbound.secret']],
  [
    'two problems at once, of which one may be accepted',
    { missingSecrets: 1, listener: 'failed', unproven: 1 },
    ['inbound.secret', 'inbound.listener'],
  ],
  ['the list of subscriptions is unread', { subscription: 'unread' }, ['inbound.checking']],
  ['a first list shows no subscription', { subscription: 'unconfirmed' }, ['inbound.checking']],
  ['only the list of subscriptions fails', { subscription: 'failing' }, ['inbound.list']],
  ['two lists show no subscription', { subscription: 'none' }, ['inbound.subscription']],
  [
    'the first list of a new connection shows none',
    { hasReceived: false, subscription: 'unconfirmed' },
    ['inbound.subscription'],
  ],
  ['the relay refuses or is gone', { relay: 'failed' }, ['inbound.relay']],
  ['the relay’s token is lost', { relay: 'no-token' }, ['inbound.token']],
  ['deliveries wait at the relay', { relay: 'behind' }, ['inbound.reading']],
  ['deliveries wait in the journal', { isRead: false }, ['inbound.reading']],
])('%s', (_, change, problem) => {
  expect(inboundProblems({ ...fine, ...change })).toEqual(problem)
})
