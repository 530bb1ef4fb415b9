import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { openBucket } from '#electron/relay/nats/bucket.ts'
import { openNatsStore } from '#electron/relay/nats/nats-store.ts'
import { startNatsCluster, whyNoNats } from '../../helpers/nats-cluster.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { storeContract } from './store-contract.ts'

const reason = whyNoNats()
let cluster: Awaited<ReturnType<typeof startNatsCluster>>
let connection: Awaited<ReturnType<typeof connect>>

describe.skipIf(reason)(`with NATS${reason ? ` (skipped: ${reason})` : ''}`, () => {
  beforeAll(async () => {
    cluster = await startNatsCluster(1)
    connection = await connect({ servers: cluster.urls })
  })
  afterAll(async () => {
    await connection.close()
    await cluster.stop()
  })

  let inboxes = 0
  storeContract('a JetStream stream', () => {
    const inbox = `contract-${++inboxes}`
    return {
      async open() {
        const js = jetstream(connection)
        const documents = await openBucket(js, 1)
        return openNatsStore({
          js,
          inbox,
          replicas: 1,
          documents,
          spillFolder: null,
          instance: 'contract',
          clock: systemClock,
          log: quietLog,
        })
      },
    }
  })
})
