import type { TenantView } from './sandbox.ts'
import { type Tenant, toCampaignRecord, toMessageRecord } from './tenant.ts'

/** A read-only view of a tenant; every answer is a copy. */
export function viewOf(tenant: Tenant): TenantView {
  const copies = <T>(records: Iterable<T>): T[] => structuredClone([...records])
  return {
    id: tenant.id,
    name: tenant.name,
    contacts: () => copies(tenant.contacts.values()),
    campaigns: () => [...tenant.campaigns.values()].map((campaign) => toCampaignRecord(tenant, campaign)),
    messages: () => tenant.messages.all().map((message) => toMessageRecord(tenant, message)),
    heldMessageIds: () =>
      tenant.messages
        .all()
        .filter((message) => message.held)
        .map((message) => message.id),
    templates: () => copies(tenant.templates.values()),
    channels: () => copies(tenant.channels),
    ottMessages: () => copies(tenant.ottMessages.values()),
    scheduled: () => copies(tenant.scheduled.values()),
    dnc: () => copies(tenant.dnc.values()),
    subscriptions: () => copies(tenant.subscriptions.values()),
  }
}
