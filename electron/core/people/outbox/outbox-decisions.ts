import { checkConfirmed } from '../../platform/confirm.ts'
import type { AppError } from '../../../contract/errors.ts'
import { isPhrase, type Phrase } from '../../../contract/phrases.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InputOf } from '../../../contract/define.ts'
import type { outboxContract, OutboxState } from '../../../contract/people/outbox.ts'
import { isInDoubt } from './outbox-drain.ts'
import type { ItemSelection, OutboxRepository } from './outbox.repository.ts'
import type { StoredItem } from './stored-item.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Items changed per transaction, before yielding. */
const perPiece = 500

/** Unconfirmed items checked before they are resent. */
const unconfirmedMax = 10_000

/** States in which nothing has left. */
const unsent = ['undoable', 'scheduled', 'queued', 'blocked'] as const satisfies OutboxState[]

export const isUnsent = ({ state }: StoredItem): boolean => (unsent as readonly OutboxState[]).includes(state)

export type OutboxDecisions = ReturnType<typeof createOutboxDecisions>

export function createOutboxDecisions({
  repository,
  clock,
  connection,
  isInContacts,
  withoutText,
  blockedBecause,
  begin,
  changed,
  wake,
  onDone,
}: Pick<PlatformParts, 'clock' | 'connection'> & {
  repository: OutboxRepository
  isInContacts: (contactId: number) => boolean
  withoutText: (selection: ItemSelection) => Promise<ItemSelection>
  /** Why an item must not be sent to its recipient now; null if it may. */
  blockedBecause: (item: StoredItem) => AppError | null
  /** Begins a batch for resent items and returns its id. */
  begin: (title: Phrase, unchecked?: boolean) => string
  changed: () => void
  wake: () => void
  /** A person gave the ID of an item that they marked as done. */
  onDone: (item: StoredItem) => void
}) {
  /** Runs `work` on a selection in pieces, one transaction each. Returns how many items it changed. */
  async function each(
    selection: ItemSelection,
    states: readonly OutboxState[],
    work: (item: StoredItem) => boolean,
  ): Promise<number> {
    let done = 0
    if ('ids' in selection && selection.ids.length > perPiece) {
      for (let at = 0; at < selection.ids.length; at += perPiece)
        done += await each({ ids: selection.ids.slice(at, at + perPiece) }, states, work)
      return done
    }
    for (let afterId = 0; ; await nextTurn()) {
      const items = repository.select(selection, states, afterId, perPiece)
      if (items.length === 0) return done
      done += repository.transaction(() => items.filter(work).length)
      afterId = items.at(-1)!.id
      changed()
    }
  }

  /** Cancels one item. False if an earlier attempt may have been carried out; it then becomes unconfirmed. */
  const endCancelled = (item: StoredItem): boolean => {
    const endedMs = clock.now()
    const isUnknown = isInDoubt(item)
    if (isUnknown)
      repository.update(item.id, {
        state: 'unknown',
        problem: { code: 'DELETION_UNKNOWN', data: {} },
        endedMs,
      })
    else repository.update(item.id, { state: 'cancelled', endedMs })
    return !isUnknown
  }

  /**
   * Cancels an item, those that wait for it, and the other half of its change. When the item is `replaced`, a first half that may have
   * been done continues, because it is still needed.
   */
  const cancelled = (item: StoredItem, why: 'cancelled' | 'replaced' = 'cancelled'): boolean => {
    const isCancelled = endCancelled(item)
    for (const follower of repository.followers(item.id))
      if (follower.state === 'blocked') endCancelled(follower)
    const first = item.afterId === null ? null : repository.get(item.afterId)
    const isHalf = first !== null && first.batchId === item.batchId && isUnsent(first)
    if (isHalf && !(why === 'replaced' && isInDoubt(first))) endCancelled(first)
    return isCancelled
  }

  const again = (batchId: string, item: StoredItem, afterId: number | null = null): number => {
    const { operation, name, phone, others, contactId, oldOf, serviceId, body, hours } = item
    const { unchecked, clearUntilMs, clearBy } = item
    const state = afterId === null ? 'queued' : 'blocked'
    return repository.add(
      batchId,
      {
        operation,
        name,
        phone,
        others,
        contactId,
        oldOf,
        againOf: item.id,
        serviceId,
        body,
        afterId,
        hours,
        unchecked,
        clearUntilMs,
        clearBy,
      },
      state,
      clock.now(),
    )
  }

  /** Names the batch that is resent, if it is only one. */
  function resentTitle(selection: ItemSelection): Phrase {
    const id = repository.onlyBatchOf(selection)
    const [batch] = id === null ? [] : repository.namedBatch(id, clock.now())
    if (!batch) return { key: 'batch.resent' }
    const { title } = batch
    return isPhrase(title) && title.key === 'batch.resentOf' ? title : { key: 'batch.resentOf', batch: title }
  }

  /** An erased request has no number. */
  const isStillNeeded = ({ operation, contactId, phone }: StoredItem) =>
    operation === 'delete-contact' ||
    (phone !== '' && (operation === 'send-ott' || contactId === null || isInContacts(contactId)))

  return {
    each,
    cancelled,
    async cancel({ selection: chosen }: { selection: ItemSelection }) {
      const selection = await withoutText(chosen)
      const all = repository.countSelected(selection)
      const count = await each(selection, unsent, (item) => cancelled(item))
      return { cancelled: count, left: Math.max(0, all - count) }
    },
    async resolve({ how, serviceId, confirmName, ...chosen }: InputOf<typeof outboxContract, 'resolve'>) {
      if (how === 'send-again') checkConfirmed(connection(), confirmName)
      const selection = await withoutText(chosen.selection)
      const all = repository.countSelected(selection)
      const title = resentTitle(selection)
      const resend = lazy(() => begin(title))
      const endedMs = clock.now()
      let blocked = 0
      const givenId = how === 'mark-done' && all === 1 ? serviceId : undefined
      let named: StoredItem | null = null
      const count = await each(selection, ['unknown'], (item) => {
        if (how === 'send-again' && blockedBecause(item) !== null) {
          blocked++
          return false
        }
        if (how === 'mark-done') {
          const resolved = { ...item, serviceId: givenId ?? item.serviceId }
          repository.update(item.id, {
            state: 'done',
            resolution: 'marked-done',
            problem: null,
            endedMs,
            serviceId: resolved.serviceId,
          })
          if (givenId !== undefined) named = resolved
        } else
          repository.update(item.id, {
            state: 'cancelled',
            resolution: how === 'discard' ? 'discarded' : 'sent-again',
            endedMs,
          })
        const newId = how === 'send-again' ? again(resend(), item) : null
        for (const follower of repository.followers(item.id)) {
          // The contact of a cancelled follower depends on this item, too.
          if (follower.state !== 'blocked') {
            repository.update(follower.id, {})
            continue
          }
          if (newId !== null) {
            repository.update(follower.id, { afterId: newId })
            continue
          }
          const id = repository.get(item.id)?.serviceId ?? null
          if (how === 'mark-done' && (follower.serviceId ?? id) !== null)
            repository.update(follower.id, {
              state: repository.readyState(follower.batchId, clock.now()),
              serviceId: follower.serviceId ?? id,
            })
          else repository.update(follower.id, { state: 'cancelled', endedMs })
        }
        return true
      })
      if (named !== null) onDone(named)
      wake()
      return { resolved: count, left: Math.max(0, all - count - blocked), blocked }
    },
    /** The first unconfirmed items of a selection, and whether there are `more`. */
    async unconfirmed(chosen: ItemSelection) {
      const selection = await withoutText(chosen)
      const items: StoredItem[] = []
      for (let afterId = 0; items.length <= unconfirmedMax; await nextTurn()) {
        const piece = repository.select(selection, ['unknown'], afterId, perPiece)
        if (piece.length === 0) break
        items.push(...piece)
        afterId = piece.at(-1)!.id
      }
      return { items: items.slice(0, unconfirmedMax), more: items.length > unconfirmedMax }
    },
    /** Queues accepted items again as new ones, if they `may`. `unchecked` as for a batch. Returns how many. */
    async sendAgain(
      ids: number[],
      title: Phrase,
      unchecked: boolean,
      may: (item: StoredItem) => boolean,
    ): Promise<number> {
      const resend = lazy(() => begin(title, unchecked))
      const count = await each({ ids }, ['done'], (item) => {
        if (!may(item)) return false
        again(resend(), { ...item, serviceId: null })
        return true
      })
      wake()
      return count
    },
    async retryRejected({ selection: chosen }: { selection: ItemSelection }) {
      const selection = await withoutText(chosen)
      const all = repository.countSelected(selection)
      const resend = lazy(() => begin({ key: 'batch.resentRejected' }))
      const endedMs = clock.now()
      let blocked = 0
      const count = await each(selection, ['rejected'], (item) => {
        // Skips contacts that were pushed again after a correction or were deleted.
        if (repository.isOvertaken(item) || !isStillNeeded(item)) return false
        // It would only be rejected again.
        if (blockedBecause(item) !== null) {
          blocked++
          return false
        }
        const batchId = resend()
        repository.update(item.id, { state: 'cancelled', resolution: 'sent-again', endedMs })
        const newId = again(batchId, item)
        // Also resends followers that were cancelled with this item.
        for (const follower of repository.followers(item.id)) {
          if (follower.state !== 'cancelled' || follower.problem === null || follower.resolution !== null)
            continue
          repository.update(follower.id, { resolution: 'sent-again' })
          again(batchId, follower, newId)
        }
        return true
      })
      wake()
      const left = Math.max(0, all - count - blocked)
      return { batchId: count === 0 ? null : resend(), queued: count, left, blocked }
    },
  }
}

/** Creates the value on first use. */
function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}
