import type { Delivery } from '../../listener/journal.ts'
import type { StoredDelivery } from '../store.ts'

type Head = Omit<Delivery, 'body'>

const lengthBytes = 4

/** A delivery as the payload of a message: the length of its head, the head as JSON, the body as it came. */
export function encodeDelivery({ body, ...head }: Delivery): Uint8Array {
  const text = Buffer.from(JSON.stringify(head satisfies Head))
  const length = Buffer.allocUnsafe(lengthBytes)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, body])
}

export function decodeDelivery(seq: number, data: Uint8Array): StoredDelivery {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const end = lengthBytes + bytes.readUInt32BE(0)
  const head = JSON.parse(bytes.toString('utf8', lengthBytes, end)) as Head
  return { ...head, seq, body: bytes.subarray(end) }
}
