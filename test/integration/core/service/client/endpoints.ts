import type { ServiceClient } from '#electron/core/service/client/create-service-client.ts'
import { operator } from './client-under-test.ts'
import * as records from '../../../../helpers/spec-records.ts'
import { json } from '../../../../helpers/fixture-service.ts'

/** One row per endpoint of the spec: the call, the request, the spec's answer, and the result. */
export interface EndpointCase {
  name: string
  /** Expected method and path. */
  wire: string
  invoke(client: ServiceClient, signal?: AbortSignal): Promise<unknown>
  query?: Record<string, string>
  body?: unknown
  answer: unknown
  status?: number
  returns: unknown
  /** The retry law of the endpoint. */
  law: 'GET' | 'DELETE' | 'POST' | 'sign-in'
}

const iso = (text: string) => text.replace('Z', '.000Z')
const { campaign, message, template, ottMessage, contact, scheduledMessage, dncEntry, webhook, errorCode } =
  records
const opts = (signal?: AbortSignal) => (signal ? { ...operator, signal } : operator)

const campaignDomain = {
  id: campaign.id,
  tenantId: campaign.tenant_id,
  accountId: campaign.account_id,
  name: 'Autumn offers',
  templateId: campaign.template_id,
  senderId: '+15550100',
  status: 'running',
  totalRecipients: 1200,
  sentCount: 300,
  failedCount: 4,
  startedAt: iso(campaign.started_at),
  completedAt: iso(campaign.completed_at),
  createdAt: iso(campaign.created_at),
  updatedAt: iso(campaign.updated_at),
}
const messageDomain = {
  id: 'msg_01/ä',
  tenantId: message.tenant_id,
  accountId: 'acc-1',
  userId: 'user-1',
  batchId: 'batch-1',
  from: '+15550100',
  to: '+4915112345678',
  body: 'Your code is 1234',
  status: 'delivered',
  partCount: 1,
  sellPrice: 0.075,
  costPrice: 0.05,
  connectionId: 'conn-1',
  providerMessageId: 'prov-1',
  priority: 'normal',
  isEncrypted: false,
  sentAt: iso(message.sent_at),
  deliveredAt: iso(message.delivered_at),
  createdAt: iso(message.created_at),
  updatedAt: iso(message.updated_at),
}
const page = (item: unknown) => ({ items: [item], total: 41, page: 2, perPage: 10 })
const pageAnswer = (item: unknown) => records.envelope([item], 41, 2, 10)
const pageQuery = { page: '2', per_page: '10' }
const dncDomain = {
  id: 'dnc-1',
  tenantId: dncEntry.tenant_id,
  phoneNumber: '+4915112345678',
  reason: 'asked to stop',
  createdAt: iso(dncEntry.created_at),
}
const span = { startDate: '2026-01-01', endDate: '2026-01-31' }
const spanQuery = { start_date: '2026-01-01', end_date: '2026-01-31' }

export const endpoints: EndpointCase[] = [
  {
    name: 'campaigns.list',
    wire: 'GET /campaigns',
    invoke: (client, signal) =>
      client.campaigns.list({ page: 2, perPage: 10, status: 'running' }, opts(signal)),
    query: { ...pageQuery, status: 'running' },
    answer: pageAnswer(campaign),
    returns: page(campaignDomain),
    law: 'GET',
  },
  {
    name: 'campaigns.get',
    wire: `GET /campaigns/${campaign.id}`,
    invoke: (client, signal) => client.campaigns.get(campaign.id, opts(signal)),
    answer: campaign,
    returns: campaignDomain,
    law: 'GET',
  },
  {
    name: 'campaigns.pause',
    wire: `POST /campaigns/${campaign.id}/pause`,
    invoke: (client, signal) => client.campaigns.pause(campaign.id, opts(signal)),
    answer: { ...campaign, status: 'paused' },
    returns: { ...campaignDomain, status: 'paused' },
    law: 'POST',
  },
  {
    name: 'templates.create',
    wire: 'POST /templates',
    invoke: (client, signal) =>
      client.templates.create(
        { name: 'code', body: template.body, variables: { name: 'string', code: 'number' } },
        opts(signal),
      ),
    body: { name: 'code', body: template.body, variables: { name: 'string', code: 'number' } },
    answer: template,
    status: 201,
    returns: {
      id: template.id,
      tenantId: template.tenant_id,
      name: 'code',
      body: template.body,
      variables: { name: 'string', code: 'number' },
      status: 'active',
      createdAt: iso(template.created_at),
      updatedAt: iso(template.updated_at),
    },
    law: 'POST',
  },
  {
    name: 'templates.delete',
    wire: `DELETE /ott/templates/${template.id}`,
    invoke: (client, signal) => client.templates.delete(template.id, opts(signal)),
    answer: { message: 'template deleted' },
    returns: { message: 'template deleted' },
    law: 'DELETE',
  },
  {
    name: 'ott.send',
    wire: 'POST /ott/messages',
    invoke: (client, signal) =>
      client.ott.send(
        {
          channelId: ottMessage.channel_id,
          templateId: ottMessage.template_id,
          to: ottMessage.to,
          variables: { name: 'Ada', code: 7 },
        },
        opts(signal),
      ),
    body: {
      channel_id: ottMessage.channel_id,
      template_id: ottMessage.template_id,
      to: '+4915112345678',
      variables: { name: 'Ada', code: 7 },
    },
    answer: ottMessage,
    returns: {
      id: 'ott-1',
      tenantId: ottMessage.tenant_id,
      channelId: ottMessage.channel_id,
      templateId: ottMessage.template_id,
      to: '+4915112345678',
      body: ottMessage.body,
      status: 'delivered',
      providerMessageId: 'prov-2',
      createdAt: iso(ottMessage.created_at),
    },
    law: 'POST',
  },
  {
    name: 'messages.get',
    wire: 'GET /messages/msg_01%2F%C3%A4',
    invoke: (client, signal) => client.messages.get('msg_01/ä', opts(signal)),
    answer: message,
    returns: messageDomain,
    law: 'GET',
  },
  {
    name: 'messages.release',
    wire: 'POST /messages/msg_01%2F%C3%A4/release',
    invoke: (client, signal) => client.messages.release('msg_01/ä', opts(signal)),
    answer: { message: 'released' },
    returns: { message: 'released' },
    law: 'POST',
  },
  {
    name: 'messages.list',
    wire: 'GET /messages',
    invoke: (client, signal) => client.messages.list({ page: 2, perPage: 10 }, opts(signal)),
    query: pageQuery,
    answer: pageAnswer(message),
    returns: page(messageDomain),
    law: 'GET',
  },
  {
    name: 'contacts.create',
    wire: 'POST /contacts',
    invoke: (client, signal) =>
      client.contacts.create(
        { name: 'Ada', phone: contact.phone, email: contact.email, tags: { city: 'Bern' } },
        opts(signal),
      ),
    body: { name: 'Ada', phone: '+4915112345678', email: 'ada@example.com', tags: { city: 'Bern' } },
    answer: contact,
    status: 201,
    returns: {
      id: contact.id,
      tenantId: contact.tenant_id,
      name: 'Ada',
      phone: '+4915112345678',
      email: 'ada@example.com',
      tags: { city: 'Bern' },
      createdAt: iso(contact.created_at),
      updatedAt: iso(contact.updated_at),
    },
    law: 'POST',
  },
  {
    name: 'contacts.delete',
    wire: `DELETE /contacts/${contact.id}`,
    invoke: (client, signal) => client.contacts.delete(contact.id, opts(signal)),
    answer: { message: 'contact deleted' },
    returns: { message: 'contact deleted' },
    law: 'DELETE',
  },
  {
    name: 'scheduled.list',
    wire: 'GET /scheduled-messages',
    invoke: (client, signal) => client.scheduled.list({ page: 2, perPage: 10 }, opts(signal)),
    query: pageQuery,
    answer: pageAnswer(scheduledMessage),
    returns: page({
      id: 'sched-1',
      tenantId: scheduledMessage.tenant_id,
      accountId: 'acc-1',
      fromNumber: '+15550100',
      toNumber: '+4915112345678',
      body: 'See you at ten',
      status: 'pending',
      scheduledAt: iso(scheduledMessage.scheduled_at),
      createdAt: iso(scheduledMessage.created_at),
    }),
    law: 'GET',
  },
  {
    name: 'dnc.list',
    wire: 'GET /dnc',
    invoke: (client, signal) => client.dnc.list({ page: 2, perPage: 10 }, opts(signal)),
    query: pageQuery,
    answer: pageAnswer(dncEntry),
    returns: page(dncDomain),
    law: 'GET',
  },
  {
    name: 'dnc.check',
    wire: 'GET /dnc/check',
    invoke: (client, signal) => client.dnc.check({ phone: '+4915112345678' }, opts(signal)),
    query: { phone_number: '+4915112345678' },
    answer: { is_blocked: true, entry: dncEntry },
    returns: { verdict: 'blocked', entry: dncDomain },
    law: 'GET',
  },
  {
    name: 'analytics.billingSummary',
    wire: 'GET /analytics/billing-summary',
    invoke: (client, signal) => client.analytics.billingSummary(span, opts(signal)),
    query: spanQuery,
    answer: records.billingSummary,
    returns: {
      totalRevenue: 120.5,
      totalCost: 80.25,
      totalMargin: 40.25,
      byCurrency: [{ currency: 'EUR', revenue: 120.5, cost: 80.25 }],
    },
    law: 'GET',
  },
  {
    name: 'analytics.overview',
    wire: 'GET /analytics/overview',
    invoke: (client, signal) => client.analytics.overview(span, opts(signal)),
    query: spanQuery,
    answer: records.analyticsOverview,
    returns: { totalMessages: 1000, delivered: 950, failed: 50, revenue: 120.5, cost: 80.25, margin: 40.25 },
    law: 'GET',
  },
  {
    name: 'dashboard.get',
    wire: 'GET /dashboard',
    invoke: (client, signal) => client.dashboard.get(opts(signal)),
    answer: records.dashboard,
    returns: {
      messagesToday: 12,
      messagesWeek: 345,
      balance: 99.5,
      activeCampaigns: 2,
      recentMessages: [{ id: 'msg-1', anything: { at: 'all' } }],
    },
    law: 'GET',
  },
  {
    name: 'webhooks.create',
    wire: 'POST /webhooks',
    invoke: (client, signal) =>
      client.webhooks.create(
        { url: webhook.url, events: ['dlr', 'mo'], secret: 'whsec-SECRET-1' },
        opts(signal),
      ),
    body: { url: 'https://hooks.example.com/in', events: ['dlr', 'mo'], secret: 'whsec-SECRET-1' },
    answer: webhook,
    status: 201,
    returns: {
      subscription: {
        id: 'wh-1',
        tenantId: webhook.tenant_id,
        url: webhook.url,
        events: webhook.events,
        hasSecret: true,
        status: 'active',
        createdAt: iso(webhook.created_at),
      },
    },
    law: 'POST',
  },
  {
    name: 'webhooks.list',
    wire: 'GET /webhooks/subscriptions',
    invoke: (client, signal) => client.webhooks.list({ page: 2, perPage: 10 }, opts(signal)),
    query: pageQuery,
    answer: pageAnswer(webhook),
    returns: page({
      subscription: {
        id: 'wh-1',
        tenantId: webhook.tenant_id,
        url: webhook.url,
        events: webhook.events,
        hasSecret: true,
        status: 'active',
        createdAt: iso(webhook.created_at),
      },
      secret: 'whsec-SECRET-1',
    }),
    law: 'GET',
  },
  {
    name: 'webhooks.test',
    wire: 'POST /webhooks/wh-1/test',
    invoke: (client, signal) => client.webhooks.test({ id: 'wh-1', eventType: 'dlr' }, opts(signal)),
    body: { event_type: 'dlr' },
    answer: { message: 'sent', message_id: 'm-9' },
    returns: { message: 'sent', messageId: 'm-9' },
    law: 'POST',
  },
  {
    name: 'errorCodes.search',
    wire: 'GET /error-codes/search',
    invoke: (client, signal) => client.errorCodes.search({ text: 'hand set & more' }, opts(signal)),
    query: { q: 'hand set & more' },
    answer: [errorCode],
    returns: [
      {
        id: 'ec-1',
        code: '30003',
        description: errorCode.description,
        category: 'carrier',
        resolution: 'Try again later',
        createdAt: iso(errorCode.created_at),
      },
    ],
    law: 'GET',
  },
]

/** The endpoint with the exact bytes of the spec's own answer. */
export const answerOf = ({ status = 200, answer }: EndpointCase) => json(status, answer)
