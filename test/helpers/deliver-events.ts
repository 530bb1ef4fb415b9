import { deliverSigned } from './signed-delivery.ts'
import type { Rpc } from './start-core.ts'

/** Sends bodies to the console's listener, one after the other. Throws when it doesn't acknowledge one. */
export async function deliverEvents(rpc: Rpc, secret: string, ...bodies: string[]): Promise<void> {
  const { url } = (await rpc.listener.get()).status
  for (const body of bodies) {
    const status = await deliverSigned(url!, body, secret)
    if (status !== 200) throw new Error(`The listener answered ${status} to ${body}`)
  }
}

/** The body of a delivery report, as in the spec. */
export const dlrBody = (messageId: string, status: string, destination = '+14155550123'): string =>
  JSON.stringify({
    event: 'dlr',
    message_id: messageId,
    status,
    error_code: null,
    destination,
    delivered_at: '2026-01-05T09:00:00Z',
  })

/** The body of an inbound message, as in the spec. */
export const moBody = (messageId: string, source: string, content: string): string =>
  JSON.stringify({
    event: 'mo',
    message_id: messageId,
    source,
    destination: '+15550100',
    content,
    received_at: '2026-01-05T09:00:00Z',
  })
