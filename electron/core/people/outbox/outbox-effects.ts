import type { ContactState, OutboxEffect } from '../../../jobs/book/book-types.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { AppError } from '../../../contract/errors.ts'
import type { ContactBody } from './operations.ts'
import type { OutboxRepository, StoredItem } from './outbox.repository.ts'

const perPiece = 500
/** After the book refused, it is told again after this long. */
const retryMs = 2_000

const stateAfterCreate: Record<StoredItem['state'], ContactState> = {
  'held-back': 'waiting',
  queued: 'waiting',
  blocked: 'waiting',
  'in-flight': 'in-flight',
  done: 'service',
  rejected: 'failed',
  unknown: 'unknown',
  cancelled: 'local',
}

const isOpen = (state: StoredItem['state']) => ['held-back', 'queued', 'blocked', 'in-flight'].includes(state)

/** What a person gave up may have been carried out. */
function stateOfCreation({ state, problem, resolution }: StoredItem): ContactState {
  if (resolution === 'discarded') return 'discarded'
  return state === 'cancelled' && problem ? 'failed' : stateAfterCreate[state]
}

/** What the state of an item, which waited for `first` or for none, means for its contact in the book. */
function effectOf(item: StoredItem, first: StoredItem | null): OutboxEffect {
  // The contact stays as it is; what is told of its old record is read where that is told.
  if (item.oldOf !== null) return { contactId: item.oldOf, state: 'local', problem: null, isElsewhere: true }
  const contactId = item.contactId!
  const problem = item.problem && new AppError(item.problem.code, item.problem.data).message
  if (item.operation !== 'delete-contact') {
    const isOldGone = first?.operation === 'delete-contact' && first.state === 'done'
    const { name, email, tags } = item.body as ContactBody
    return {
      contactId,
      state: stateOfCreation(item),
      problem,
      ...(item.state === 'done'
        ? { serviceId: item.serviceId, sent: { name, email, tagsJson: JSON.stringify(tags) } }
        : isOldGone
          ? { serviceId: null }
          : { isBehind: !isOpen(item.state) }),
    }
  }
  if (item.state === 'done') return { contactId, state: 'deleting', problem: null, remove: true }
  if (isOpen(item.state)) return { contactId, state: 'deleting', problem }
  if (item.state === 'unknown') return { contactId, state: 'unknown', problem }
  if (item.resolution === 'discarded') return { contactId, state: 'discarded', problem }
  // A deletion that came to nothing leaves the contact where its creation did; without one the book knows whether it is there.
  return { contactId, state: first ? stateOfCreation(first) : 'local', problem }
}

export interface OutboxEffects {
  /** Tells the book what it has not been told; cheap. */
  wake(): void
  /** Resolves when the book was told everything, or could not be. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/**
 * Carries the states of items over into the book, which is another file with another writer: each change is marked in the transaction
 * that makes it, and the mark goes when the book has committed. What a crash leaves marked is told again; twice is as once.
 */
export function createOutboxEffects(parts: {
  repository: OutboxRepository
  apply: (effects: OutboxEffect[]) => Promise<unknown>
  clock: Clock
  log: Log
}): OutboxEffects {
  const { repository, clock, log } = parts
  let running: Promise<void> | null = null
  let again = false
  let stopped = false

  /** False when the book refused. */
  async function run(): Promise<boolean> {
    while (!stopped) {
      again = false
      try {
        const items = repository.effects(perPiece)
        if (items.length === 0) return true
        // Those of sends have no contact whose state they are.
        const effects = items
          .filter(({ operation }) => operation !== 'send-ott')
          .map((item) => effectOf(item, item.afterId === null ? null : repository.get(item.afterId)))
        if (effects.length > 0) await parts.apply(effects)
        repository.applied(items)
      } catch (error) {
        if (stopped) return false
        log.warn('the book could not be told of the outbox yet', { error })
        clock.after(retryMs, wake)
        return false
      }
    }
    return false
  }

  function wake(): void {
    again = true
    if (stopped) return
    running ??= Promise.resolve()
      .then(run)
      .then((isTold) => {
        running = null
        if (again && isTold) wake()
      })
  }

  return {
    wake,
    async settled() {
      while (running) await running
    },
    async stop() {
      stopped = true
      await running
    },
  }
}
