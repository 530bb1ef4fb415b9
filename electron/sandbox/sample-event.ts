import type { Tenant } from './tenant.ts'
import { type DlrStatus, type ServiceEvent, dlrStatuses, toTime } from './wire.ts'

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
