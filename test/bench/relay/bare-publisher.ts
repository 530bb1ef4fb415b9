import { setTimeout } from 'node:timers/promises'
import { jetstream, StorageType } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { encodeDelivery } from '#electron/relay/nats/message.ts'
import { type LoadOrder, type LoadReport, serveParent } from '../listener/messages.ts'
import { deliveries } from './deliveries.ts'

/**
 * `node bare-publisher.ts URL,URL,…`: the limit of a relay with NATS. Publishes into a stream of three replicas with the
 * relay's client library, as many at a time as an order has connections.
 */
const subject = 'bare.publish'
const connection = await connect({ servers: process.argv[2]!.split(',') })
const js = jetstream(connection)
const { streams } = await js.jetstreamManager()
await streams.add({ name: 'bare', subjects: [subject], storage: StorageType.File, num_replicas: 3 })
const payloads = deliveries(1, 1_000).map(encodeDelivery)

async function run(order: LoadOrder): Promise<LoadReport> {
  const tookMs: number[] = []
  let acknowledged = 0
  let isMeasuring = false
  let isStopping = false
  async function publish(): Promise<void> {
    while (!isStopping) {
      const from = performance.now()
      await js.publish(subject, payloads[acknowledged % payloads.length])
      acknowledged++
      if (isMeasuring) tookMs.push(performance.now() - from)
    }
  }
  const publishing = Promise.all(Array.from({ length: order.connections }, publish))
  const startedAt = performance.now()
  const warmMs = () => performance.now() - startedAt
  while (warmMs() < order.warmUpAtMostMs && (warmMs() < order.warmUpMs || acknowledged < order.warmUpAnswers))
    await setTimeout(20)
  isMeasuring = true
  const from = performance.now()
  process.send!({ kind: 'measuring' })
  await setTimeout(order.measureMs)
  isMeasuring = false
  const seconds = (performance.now() - from) / 1_000
  isStopping = true
  await publishing
  tookMs.sort((a, b) => a - b)
  const at = (share: number) => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0
  return {
    kind: 'report',
    answers: tookMs.length,
    seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    acknowledged,
    wrong: 0,
  }
}

process.on('message', (order: LoadOrder | string) => {
  if (typeof order !== 'string') void run(order).then((report) => process.send!(report))
})
serveParent(0, async () => (await streams.info('bare')).state.messages)
