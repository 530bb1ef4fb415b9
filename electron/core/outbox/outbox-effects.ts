import type { ContactState, OutboxEffect } from '../../jobs/book/book-types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { AppError } from '../../contract/errors.ts'
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

/** What an item's state means for its contact in the book. */
function effectOf(item: StoredItem): OutboxEffect {
  const contactId = item.contactId!
  const problem = item.problem && new AppError(item.problem.code, item.problem.data).message
  if (item.operation !== 'delete-contact')
    return {
      contactId,
      state: item.state === 'cancelled' && item.problem ? 'failed' : stateAfterCreate[item.state],
      problem,
      ...(item.state === 'done' ? { serviceId: item.serviceId } : {}),
    }
  if (item.state === 'done') return { contactId, state: 'deleting', problem: null, remove: true }
  return {
    contactId,
    state: isOpen(item.state) ? 'deleting' : item.state === 'unknown' ? 'unknown' : 'service',
    problem,
  }
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

  async function run(): Promise<void> {
    while (!stopped) {
      again = false
      const items = repository.effects(perPiece)
      // Those of sends have no contact whose state they are.
      const effects = items.filter(({ operation }) => operation !== 'send-ott').map(effectOf)
      if (items.length === 0) {
        if (!again) return
        continue
      }
      try {
        if (effects.length > 0) await parts.apply(effects)
        repository.applied(items)
      } catch (error) {
        if (stopped) return
        log.warn('the book could not be told of the outbox yet', { error })
        clock.after(retryMs, wake)
        return
      }
    }
  }

  function wake(): void {
    again = true
    if (stopped) return
    running ??= Promise.resolve()
      .then(run)
      .finally(() => {
        running = null
        if (again && !stopped && repository.effects(1).length > 0) clock.after(retryMs, wake)
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
