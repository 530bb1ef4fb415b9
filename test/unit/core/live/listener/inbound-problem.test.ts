import { expect, it } from 'vitest'
import { inboundProblems, type Receiving } from '#electron/core/live/listener/inbound-problem.ts'

const fine: Receiving = {
  isSetUp: true,
  hasReceived: true,
  listener: 'ready',
  relay: 'none',
  missingSecrets: 0,
  subscription: null,
  isUnsubscribed: false,
  unproven: 0,
  isRead: true,
}
const never: Partial<Receiving> = { isSetUp: false, hasReceived: false }

it.each<[string, Partial<Receiving>, string[]]>([
  ['nothing arrived yet', {}, []],
  ['a secret is lost', { missingSecrets: 1 }, ['inbound.secret']],
  [
    'the listener is starting, so no secret is known',
    { listener: 'starting', missingSecrets: 1 },
    ['inbound.reading'],
  ],
  ['the listener has no port or can’t store', { listener: 'failed' }, ['inbound.listener']],
  ['some deliveries are rejected', { unproven: 1 }, ['inbound.rejected']],
  ['inbound messages arrive, and others are rejected', { subscription: 'arrives', unproven: 1 }, []],
  ['the service forgot the subscription', { isUnsubscribed: true }, ['inbound.subscription']],
  ['the secret of the subscription is not known', { subscription: 'missing' }, ['inbound.secret']],
  [
    'some are, and the secret of the last start is not known',
    { isSetUp: false, unproven: 1 },
    ['inbound.rejected'],
  ],
  [
    'two problems at once, of which one may be accepted',
    { missingSecrets: 1, listener: 'failed', unproven: 1 },
    ['inbound.secret', 'inbound.listener'],
  ],
  ['the list of subscriptions is unread since the start', { subscription: 'unread' }, ['inbound.reading']],
  ['a first list shows no subscription', { subscription: 'unconfirmed' }, ['inbound.reading']],
  ['two lists show no subscription', { subscription: 'none' }, ['inbound.subscription']],
  ['none is subscribed yet', { hasReceived: false, subscription: 'none' }, []],
  ['the relay refuses or is gone', { relay: 'failed' }, ['inbound.relay']],
  ['the relay’s token is lost', { relay: 'no-token' }, ['inbound.token']],
  ['deliveries wait at the relay', { relay: 'behind' }, ['inbound.reading']],
  ['deliveries wait in the journal', { isRead: false }, ['inbound.reading']],
  [
    'none was ever set up',
    { ...never, listener: 'failed', subscription: 'missing', isUnsubscribed: true, unproven: 1 },
    [],
  ],
  [
    'none was set up, and deliveries of earlier wait',
    { isSetUp: false, listener: 'failed', isRead: false },
    ['inbound.reading'],
  ],
])('%s', (_, change, problem) => {
  expect(inboundProblems({ ...fine, ...change })).toEqual(problem)
})
