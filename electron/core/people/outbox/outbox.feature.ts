import { outboxContract } from '../../../contract/people/outbox.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import { copyProblem } from '../dnc/dnc-list.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import { createOperations } from './operations.ts'
import { createOutboxEffects } from './outbox-effects.ts'
import { createOutboxRepository } from './outbox.repository.ts'
import { createOutboxService, type OutboxService } from './outbox.service.ts'
import type { PeopleParts } from '../parts.ts'
import { runJob } from '../../platform/tasks/job-runner.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const outboxHandlers = handlersOf(outboxContract, ({ outbox }: { outbox: OutboxService }) => outbox)

/** Messages that the service accepted in this run. */
export interface OutboxSends {
  total: number
  newestIds: readonly string[]
}

const newestMax = 50
/** Between syncs while messages wait for a fresh copy: each fails while the service can't be reached. */
const syncEveryMs = 60_000

export type OutboxFeature = ReturnType<typeof createOutboxFeature>['service']

/** Requests to the service that survive a crash, and their outcomes. */
export function createOutboxFeature(
  parts: PeopleParts & {
    dnc: Pick<DncService, 'blockedBecause' | 'inboundProblems' | 'listState' | 'sources' | 'sync'>
  },
) {
  const { client, contactStore, contactList, dnc } = parts
  const repository = createOutboxRepository(parts.stateDb)
  let sends: OutboxSends = { total: 0, newestIds: [] }
  let syncedMs = -Infinity

  function dncProblem(): Phrase | null {
    const problem = copyProblem(dnc.listState())
    const nowMs = parts.clock.monotonic()
    if (problem && nowMs - syncedMs > syncEveryMs) {
      syncedMs = nowMs
      dnc.sync()
    }
    return problem
  }

  /** Also one whose creation is not yet applied to it. */
  function ownerOf(serviceId: string, contactId: number | null): string | null {
    const owners = [...contactList.ofServiceId(serviceId), ...repository.madeUnapplied(serviceId)]
    return owners.find(({ id }) => id !== contactId)?.phone ?? null
  }

  const service = createOutboxService({
    ...parts,
    repository,
    operations: createOperations(client, ownerOf, (id) => {
      sends = { total: sends.total + 1, newestIds: [id, ...sends.newestIds].slice(0, newestMax) }
    }),
    effects: createOutboxEffects({
      ...parts,
      repository,
      apply: (changes) => contactStore.applyOutbox(changes),
    }),
    trash: {
      restore: (batchId) => contactStore.restore(batchId, dnc.sources),
      purge: (batchId) => contactStore.purge(batchId),
    },
    isInContacts: (contactId) => contactList.rows([contactId]).length > 0,
    blockedBecause: ({ phone, others }) => dnc.blockedBecause(Number(phone.slice(1)), others),
    findRequests: (filter, page, signal) =>
      runJob({ ...parts.jobFiles, job: 'find-requests', filter, ...page }, { signal }),
    dncProblem,
    inboundProblems: dnc.inboundProblems,
  })
  let unwatch = () => {}
  return {
    service: {
      ...service,
      sends: () => sends,
    },
    start() {
      service.start()
      // Resumes after a sign-in.
      unwatch = parts.credentials.onChange(({ status }) => {
        if (status === 'signed-in' && service.drain().state === 'signed-out') service.resume()
      })
    },
    async stop() {
      unwatch()
      await service.stop()
    },
    close: service.settled,
  }
}
