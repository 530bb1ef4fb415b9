import type { ServiceClient } from '#electron/core/service/client/create-service-client.ts'
import { json } from '../../../../helpers/fixture-service.ts'
import * as records from '../../../../helpers/spec-records.ts'
import { operator } from './client-under-test.ts'

/** One row per endpoint of the spec: the call, the request, the spec's answer, and the result. */
export interface EndpointCase {
  /** Expected method and path. */
  wire: string
  invoke(client: ServiceClient): Promise<unknown>
  query?: Record<string, string>
  body?: unknown
  answer: unknown
  status?: number
  returns: unknown
}

export const isPost = ({ wire }: EndpointCase) => wire.startsWith('POST')
export const isDeletion = ({ wire }: EndpointCase) => wire.startsWith('DELETE')

const { campaign, message, template, ottMessage, contact, scheduledMessage, dncEntry, webhook, errorCode } =
  records

/** What the console makes of an answer: camel case, times with milliseconds. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z$/, '$1.000Z')
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value
  const camel = (name: string) => name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [camel(name), shown(item)]))
}

const answered = (answer: unknown) => ({ answer, returns: shown(answer) })
/** The second page of a list, of one record. */
const listed = (record: unknown, item = shown(record)) => ({
  query: { page: '2', per_page: '10' },
  answer: records.envelope([record], 41, 2, 10),
  returns: { items: [item], total: 41, page: 2, perPage: 10 },
})
const secondPage = { page: 2, perPage: 10 }
const span = { startDate: '2026-01-01', endDate: '2026-01-31' }
const spanQuery = { start_date: '2026-01-01', end_date: '2026-01-31' }

/** The console keeps a signing secret apart from its subscription. */
const subscription = () => {
  const { secret: _, ...rest } = shown(webhook) as Record<string, unknown>
  return { ...rest, hasSecret: true }
}
const newTemplate = { name: 'code', body: template.body, variables: template.variables }
const newContact = { name: 'Ada', phone: contact.phone, email: contact.email, tags: contact.tags }
const newWebhook = { url: webhook.url, events: ['dlr', 'mo'], secret: webhook.secret }
const variables = { name: 'Ada', code: 7 }

export const endpoints: EndpointCase[] = [
  {
    wire: 'GET /campaigns',
    invoke: (client) => client.campaigns.list({ ...secondPage, status: 'running' }, operator),
    ...listed(campaign),
    query: { page: '2', per_page: '10', status: 'running' },
  },
  {
    wire: `GET /campaigns/${campaign.id}`,
    invoke: (client) => client.campaigns.get(campaign.id, operator),
    ...answered(campaign),
  },
  {
    wire: `POST /campaigns/${campaign.id}/pause`,
    invoke: (client) => client.campaigns.pause(campaign.id, operator),
    ...answered({ ...campaign, status: 'paused' }),
  },
  {
    wire: 'POST /templates',
    invoke: (client) =>
      client.templates.create({ ...newTemplate, variables: { name: 'string', code: 'number' } }, operator),
    body: newTemplate,
    status: 201,
    ...answered(template),
  },
  {
    wire: `DELETE /ott/templates/${template.id}`,
    invoke: (client) => client.templates.delete(template.id, operator),
    ...answered({ message: 'template deleted' }),
  },
  {
    wire: 'POST /ott/messages',
    invoke: (client) =>
      client.ott.send(
        {
          channelId: ottMessage.channel_id,
          templateId: ottMessage.template_id,
          to: ottMessage.to,
          variables,
        },
        operator,
      ),
    body: {
      channel_id: ottMessage.channel_id,
      template_id: ottMessage.template_id,
      to: ottMessage.to,
      variables,
    },
    ...answered(ottMessage),
  },
  {
    wire: 'GET /messages/msg_01%2F%C3%A4',
    invoke: (client) => client.messages.get('msg_01/ä', operator),
    ...answered(message),
  },
  {
    wire: 'POST /messages/msg_01%2F%C3%A4/release',
    invoke: (client) => client.messages.release('msg_01/ä', operator),
    ...answered({ message: 'released' }),
  },
  {
    wire: 'GET /messages',
    invoke: (client) => client.messages.list(secondPage, operator),
    ...listed(message),
  },
  {
    wire: 'POST /contacts',
    invoke: (client) => client.contacts.create(newContact, operator),
    body: newContact,
    status: 201,
    ...answered(contact),
  },
  {
    wire: `DELETE /contacts/${contact.id}`,
    invoke: (client) => client.contacts.delete(contact.id, operator),
    ...answered({ message: 'contact deleted' }),
  },
  {
    wire: 'GET /scheduled-messages',
    invoke: (client) => client.scheduled.list(secondPage, operator),
    ...listed(scheduledMessage),
  },
  {
    wire: 'GET /dnc',
    invoke: (client) => client.dnc.list(secondPage, operator),
    ...listed(dncEntry),
  },
  {
    wire: 'GET /dnc/check',
    invoke: (client) => client.dnc.check({ phone: '+4915112345678' }, operator),
    query: { phone_number: '+4915112345678' },
    answer: { is_blocked: true, entry: dncEntry },
    returns: { verdict: 'blocked', entry: shown(dncEntry) },
  },
  {
    wire: 'GET /analytics/billing-summary',
    invoke: (client) => client.analytics.billingSummary(span, operator),
    query: spanQuery,
    ...answered(records.billingSummary),
  },
  {
    wire: 'GET /analytics/overview',
    invoke: (client) => client.analytics.overview(span, operator),
    query: spanQuery,
    ...answered(records.analyticsOverview),
  },
  {
    wire: 'GET /dashboard',
    invoke: (client) => client.dashboard.get(operator),
    answer: records.dashboard,
    returns: { messagesToday: 12, messagesWeek: 345, balance: 99.5 },
  },
  {
    wire: 'POST /webhooks',
    invoke: (client) => client.webhooks.create(newWebhook, operator),
    body: newWebhook,
    answer: webhook,
    status: 201,
    returns: { subscription: subscription() },
  },
  {
    wire: 'GET /webhooks/subscriptions',
    invoke: (client) => client.webhooks.list(secondPage, operator),
    ...listed(webhook, { subscription: subscription(), secret: webhook.secret }),
  },
  {
    wire: 'POST /webhooks/wh-1/test',
    invoke: (client) => client.webhooks.test({ id: 'wh-1', eventType: 'dlr' }, operator),
    body: { event_type: 'dlr' },
    ...answered({ message: 'sent', message_id: 'm-9' }),
  },
  {
    wire: 'GET /error-codes/search',
    invoke: (client) => client.errorCodes.search({ text: 'hand set & more' }, operator),
    query: { q: 'hand set & more' },
    answer: [errorCode],
    returns: { items: [shown(errorCode)], unreadable: 0 },
  },
]

/** The endpoint with the exact bytes of the spec's own answer. */
export const answerOf = ({ status = 200, answer }: EndpointCase) => json(status, answer)
