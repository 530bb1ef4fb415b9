import { onTestFinished } from 'vitest'
import type { Connection } from '#contract/connection/connections.ts'
import type { InboundProblem } from '#contract/people/outbox.ts'
import { AppError } from '#contract/errors.ts'
import { createOperations } from '#electron/core/people/outbox/operations.ts'
import {
  createOutboxRepository,
  type OutboxRepository,
} from '#electron/core/people/outbox/outbox.repository.ts'
import { createOutboxService } from '#electron/core/people/outbox/outbox.service.ts'
import { createApiKey } from '#electron/core/service/credentials/credentials.ts'
import { createNetworkWatch } from '#electron/core/service/client/network-watch.ts'
import { createServiceClient } from '#electron/core/service/client/create-service-client.ts'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import { openDatabase } from '#electron/database/open.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'

/** Contacts that still hold the whole batch. */
const noneToRestore = () => Promise.resolve({ restored: 0, lost: 0 })

/** The outbox with a database and contacts that may refuse to restore. No request reaches a service. */
export function startAlone(
  file: string,
  {
    restore = noneToRestore,
    purging = () => Promise.resolve(),
    isBlocked = false,
    answer = () => Promise.resolve(Response.json({ message: 'deleted' })),
    read = () => Promise.resolve(Response.json({ data: [], total: 0 })),
    change = (repository) => repository,
  }: {
    restore?: (batchId: string) => Promise<{ restored: number; lost: number }>
    purging?: () => Promise<unknown>
    isBlocked?: boolean
    /** The answer to each change. */
    answer?: () => Promise<Response>
    /** The answer to each read. */
    read?: () => Promise<Response>
    /** Changes the repository before the outbox starts. */
    change?: (repository: OutboxRepository) => OutboxRepository
  } = {},
) {
  const clock = createFakeClock()
  const opened = openDatabase({ file, schema: 'state', log: quietLog })
  const sent: string[] = []
  const dnc = { isFresh: true }
  const inbound = { problems: [] as InboundProblem[] }
  const purged: string[] = []
  const network = createNetworkWatch(clock, () => {})
  const credentials = createApiKey({ apiKey: 'key' })
  const client = createServiceClient({
    baseUrl: 'http://127.0.0.1:1/v1',
    credentials,
    clock,
    random: seededRandom(1),
    fieldNames: () => defaultFieldNames,
    log: quietLog,
    observe: network,
    fetch: (url, request) => {
      if (request?.method === 'GET') return read()
      sent.push(url as string)
      return answer()
    },
  })
  const outbox = createOutboxService({
    repository: change(createOutboxRepository(opened.db)),
    client,
    network,
    credentials,
    operations: createOperations(client),
    effects: { wake() {}, settled: () => Promise.resolve(), stop: () => Promise.resolve() },
    trash: {
      restore,
      purge(batchId) {
        purged.push(batchId)
        return purging()
      },
    },
    isInContacts: () => true,
    findRequests: () => Promise.resolve({ ids: [], total: 0 }),
    blockedBecause: ({ phone }) => (isBlocked ? new AppError('ON_DNC', { phone, reason: 'STOP' }) : null),
    dncProblem: () => (dnc.isFresh ? null : { key: 'dnc.stale' }),
    inboundProblems: () => inbound.problems,
    connection: () => ({ production: true, name: 'Live' }) as Connection,
    clock,
    log: quietLog,
  })
  outbox.start()
  let isOpen = true
  const stop = async () => {
    if (!isOpen) return
    isOpen = false
    client.close()
    const stopping = outbox.stop()
    await clock.advance(5_000)
    await stopping
    opened.close()
  }
  onTestFinished(stop)
  return { outbox, client, credentials, network, clock, sent, dnc, inbound, purged, stop }
}
