import { createHmac } from 'node:crypto'

/** The signature of a body: lower-case hexadecimal HMAC-SHA-256 of its bytes. */
export const sign = (body: string | Uint8Array, secret: string): string =>
  createHmac('sha256', secret).update(body).digest('hex')

/** Sends an event to a listener as the service does. @returns the status of the answer. */
export async function deliverSigned(
  url: string,
  body: string,
  secret: string,
  signature = sign(body, secret),
): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': signature }
  const response = await fetch(url, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response.status
}
