import type { ContactState } from '../../../contract/people/contacts.ts'
import { storedText } from '../../../contract/phrases.ts'
import type { OutboxEffect } from '../../../jobs/contact-store/store-types.ts'
import { errorPhrase } from '../../../contract/errors.ts'
import type { ContactBody } from './operations.ts'
import type { OutboxRepository } from './outbox.repository.ts'
import type { StoredItem } from './stored-item.ts'
import { createWakeable } from '../../../lib/wakeable.ts'
import type { PlatformParts } from '../../platform/parts.ts'

const perPiece = 500
/** Wait before trying again after the contact database failed. */
const retryMs = 2_000

const stateAfterCreate: Record<StoredItem['state'], ContactState> = {
  undoable: 'waiting',
  scheduled: 'waiting',
  queued: 'waiting',
  blocked: 'waiting',
  'in-flight': 'in-flight',
  done: 'service',
  rejected: 'failed',
  unknown: 'unknown',
  cancelled: 'local',
}

const isOpen = (state: StoredItem['state']) =>
  ['undoable', 'scheduled', 'queued', 'blocked', 'in-flight'].includes(state)

/** A discarded creation may have been carried out. */
function stateOfCreation({ state, problem, resolution }: StoredItem): ContactState {
  if (resolution === 'discarded') return 'discarded'
  return state === 'cancelled' && problem ? 'failed' : stateAfterCreate[state]
}

/** What an item's state means for its contact. `first`: the item it waited for. */
function effectOf(item: StoredItem, first: StoredItem | null): OutboxEffect {
  // The contact itself is unchanged; only its old record is affected.
  if (item.oldOf !== null) return { contactId: item.oldOf, state: 'local', problem: null, isElsewhere: true }
  const contactId = item.contactId!
  const problem = item.problem && storedText(errorPhrase(item.problem))
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
  // A failed deletion leaves the contact as its creation did, if that was queued too.
  return { contactId, state: first ? stateOfCreation(first) : 'local', problem }
}

export type OutboxEffects = ReturnType<typeof createOutboxEffects>

/**
 * Copies item states to contacts, which live in another database. A change is marked in its own transaction and
 * unmarked once the contact database has committed. After a crash, marked changes are applied again, which is
 * harmless.
 */
export function createOutboxEffects(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    repository: OutboxRepository
    apply: (effects: OutboxEffect[]) => Promise<unknown>
  },
) {
  const { repository, clock, log } = parts
  const { start, wake, settled, stop } = createWakeable({
    async work(signal) {
      for (let items; !signal.aborted && (items = repository.effects(perPiece)).length > 0;) {
        // Sends don't change a contact.
        const effects = items
          .filter(({ operation }) => operation !== 'send-ott')
          .map((item) => effectOf(item, item.afterId === null ? null : repository.get(item.afterId)))
        if (effects.length > 0) await parts.apply(effects)
        repository.applied(items)
      }
    },
    onFailed: (error) => log.warn('Could not apply outbox changes to contacts yet', { error }),
    retryMs,
    clock,
  })
  start()

  return {
    /** Applies pending changes to contacts. Cheap. */
    wake,
    /** Resolves when all changes are applied, or applying them failed. */
    settled,
    stop,
  }
}
