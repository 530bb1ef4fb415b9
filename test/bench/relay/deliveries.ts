import type { Delivery } from '#electron/listener/journal.ts'
import { secret } from '../listener/messages.ts'
import { sign } from '../../helpers/signed-delivery.ts'

/** Signed deliveries as a relay stores them, with their numbers as message IDs. */
export function deliveries(fromSeq: number, count: number): Delivery[] {
  return Array.from({ length: count }, (_one, at) => {
    const body = JSON.stringify({
      event: 'dlr',
      message_id: `stored-${fromSeq + at}`,
      status: 'delivered',
      error_code: null,
      destination: '+14155550123',
      delivered_at: '2026-01-05T09:00:00Z',
    })
    return {
      receivedMs: Date.now(),
      verdict: 'signed' as const,
      secretId: 'secret-1',
      remote: '127.0.0.1',
      headersJson: JSON.stringify([
        ['content-type', 'application/json'],
        ['user-agent', 'bench'],
        ['x-webhook-signature', sign(body, secret)],
      ]),
      body: Buffer.from(body),
    }
  })
}
