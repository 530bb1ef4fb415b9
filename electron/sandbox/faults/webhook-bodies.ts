import type { ServiceEvent } from '../wire.ts'
import type { FaultName } from './fault-table.ts'
import { withCapitals } from './odd-records.ts'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const isReport = ({ event }: ServiceEvent) => event === 'dlr'

/** Correctly signed bodies a receiver must survive. A retry repeats the same body. */
const oddBodies: readonly ((event: ServiceEvent) => Buffer)[] = [
  () => Buffer.from('this is not JSON'),
  (event) => json({ ...event, event: 'message.read' }),
  (event) => json({ ...event, message_id: undefined }),
  (event) =>
    Buffer.from(
      JSON.stringify({ ...event, error_code: 0 }).replace('"error_code":0', '"error_code":9007199254740993'),
    ),
  (event) => json([event]),
  () => Buffer.from(''),
  () => json(null),
  () => Buffer.from('['.repeat(20_000) + ']'.repeat(20_000)),
  (event) => json({ ...event, status: 'read', extra: { note: 'unknown status and an extra field' } }),
  (event) => json({ ...event, delivered_at: 'yesterday', received_at: 'yesterday' }),
  () => Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  (event) => json({ ...event, content: 'x'.repeat(200_000) }),
]

/** Bodies of webhook faults. `n` counts up, for those that take turns. They are signed as sent. */
export const webhookBodies: Partial<Record<FaultName, (event: ServiceEvent, n: number) => Buffer>> = {
  'webhook-odd-body': (event, n) => oddBodies[n % oddBodies.length]!(event),
  'byte-order-mark': (event) => Buffer.concat([Buffer.from('\ufeff'), json(event)]),
  'no-text': (event, n) =>
    json(isReport(event) ? event : { ...event, content: [undefined, null, ''][n % 3] }),
  'capital-status': (event) => json(withCapitals(event)),
}
