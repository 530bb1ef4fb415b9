import type { ServiceEvent } from '../wire.ts'

const text = (value: unknown) => Buffer.from(JSON.stringify(value))

/** Correctly signed bodies a receiver must survive. A retry repeats the same body. */
export const oddBodies: readonly ((event: ServiceEvent) => Buffer)[] = [
  () => Buffer.from('this is not JSON'),
  (event) => text({ ...event, event: 'message.read' }),
  (event) => text({ ...event, message_id: undefined }),
  (event) =>
    Buffer.from(
      JSON.stringify({ ...event, error_code: 0 }).replace('"error_code":0', '"error_code":9007199254740993'),
    ),
  (event) => text([event]),
  () => Buffer.from(''),
  () => text(null),
  () => Buffer.from('['.repeat(20_000) + ']'.repeat(20_000)),
  (event) => text({ ...event, status: 'read', extra: { note: 'unknown status and an extra field' } }),
  (event) => text({ ...event, delivered_at: 'yesterday', received_at: 'yesterday' }),
  () => Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  (event) => text({ ...event, content: 'x'.repeat(200_000) }),
]
