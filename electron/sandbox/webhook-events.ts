import type { Tenant } from './tenant.ts'
import { type DlrStatus, type ServiceEvent, dlrStatuses, toTime } from './wire.ts'

/** Names a subscription may use, and the dotted names each is listed as. */
const families = new Map<string, readonly string[]>([
  ['dlr', ['message.submitted', 'message.delivered', 'message.failed', 'message.expired']],
  ['mo', ['message.received']],
])

const dottedNames = new Set([...families.values()].flat())

export const eventNames: readonly string[] = [...families.keys(), ...dottedNames]

/** The names as the subscription list shows them, without duplicates. Null when a name is unknown. */
export function toListedEvents(names: readonly string[]): string[] | null {
  const listed = new Set<string>()
  for (const name of names) {
    const members = families.get(name) ?? (dottedNames.has(name) ? [name] : null)
    if (!members) return null
    for (const member of members) listed.add(member)
  }
  return [...listed]
}

/** The dotted name of an event. */
export function nameOfEvent(event: ServiceEvent): string {
  return event.event === 'mo' ? 'message.received' : `message.${event.status}`
}

/** A sample event for a subscription's event name, null for unknown names. */
export function sampleEvent(tenant: Tenant, name: string, atMs: number): ServiceEvent | null {
  const id = tenant.callDice.uuid()
  if (name === 'mo' || name === 'message.received')
    return {
      event: 'mo',
      message_id: id,
      source: '+4915100000001',
      destination: tenant.senders[0]!,
      content: 'This is a sample inbound message',
      received_at: toTime(atMs),
    }
  const status: DlrStatus | undefined =
    name === 'dlr' ? 'delivered' : dlrStatuses.find((candidate) => name === `message.${candidate}`)
  if (!status) return null
  return {
    event: 'dlr',
    message_id: id,
    status,
    error_code: status === 'failed' ? 2 : null,
    destination: '+4915100000001',
    delivered_at: toTime(atMs),
  }
}
