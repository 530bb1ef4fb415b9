import { isLoopbackHost } from '../../lib/loopback.ts'
import { type Fields, onlyFields, optionalText, paginate, readPage, text } from '../http/checks.ts'
import { type Endpoint, get, post } from '../http/endpoint.ts'
import { badRequest, created, notFound, ok } from '../http/reply.ts'
import { eventNames, nameOfEvent, sampleEvent, toListedEvents } from '../webhook-events.ts'
import { type SubscriptionRecord, toTime } from '../wire.ts'

/** No call removes a subscription, so their number is limited. */
const subscriptionsCap = 200

function readUrl(fields: Fields, allowRemote: boolean): string {
  const given = text(fields, 'url')
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw badRequest('url must be an http or https address')
  if (url.username !== '' || url.password !== '')
    throw badRequest('url must not carry a user name or password')
  if (!allowRemote && !isLoopbackHost(url.hostname))
    throw badRequest('url: this sandbox delivers to this machine only')
  return given
}

function readEvents(fields: Fields): string[] {
  const given = fields.events
  if (given === undefined) throw badRequest('events is required')
  if (!Array.isArray(given) || given.length === 0 || !given.every((name) => typeof name === 'string'))
    throw badRequest('events must be an array of event names')
  const listed = toListedEvents(given)
  if (!listed) throw badRequest(`events: known names are ${eventNames.join(', ')}`)
  return listed
}

/** The spec's Webhooks table. */
export const webhookEndpoints: readonly Endpoint[] = [
  post('/webhooks', 'webhooks:write', 'json', ({ service, tenant, fields, nowMs }) => {
    onlyFields(fields, ['url', 'events', 'secret'])
    const secret = optionalText(fields, 'secret')
    const subscription: SubscriptionRecord = {
      id: tenant.callDice.uuid(),
      tenant_id: tenant.id,
      url: readUrl(fields, service.allowRemoteWebhooks),
      events: readEvents(fields),
      ...(secret === undefined ? {} : { secret }),
      status: 'active',
      created_at: toTime(nowMs),
    }
    if (tenant.subscriptions.size >= subscriptionsCap) throw badRequest('too many subscriptions')
    tenant.subscriptions.set(subscription.id, subscription)
    if (tenant.subscriptions.size === 1)
      for (const event of service.recentEvents(tenant))
        if (subscription.events.includes(nameOfEvent(event)))
          service.deliveries.sendTo(tenant, subscription, event)
    return created(subscription)
  }),
  get('/webhooks/subscriptions', 'webhooks:read', ({ tenant, query }) =>
    ok(
      paginate([...tenant.subscriptions.values()].reverse(), readPage(query), (subscription) => subscription),
    ),
  ),
  post('/webhooks/{id}/test', 'webhooks:write', 'json', ({ service, tenant, id, fields, nowMs }) => {
    const subscription = tenant.subscriptions.get(id)
    if (!subscription) throw notFound('webhook subscription')
    onlyFields(fields, ['event_type'])
    const eventType = text(fields, 'event_type')
    const event = sampleEvent(tenant, eventType, nowMs)
    if (!event) throw badRequest(`event_type must be one of ${eventNames.join(', ')}`)
    service.deliveries.sendTo(tenant, subscription, event)
    return ok({
      message: 'a sample event is on its way',
      event_type: eventType,
      message_id: event.message_id,
    })
  }),
]
