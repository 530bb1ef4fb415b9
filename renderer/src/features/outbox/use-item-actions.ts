import type { OutboxBatch, OutboxItem } from '#contract/people/outbox.ts'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { undoneText } from '../../shared/deletions/deletion-words.ts'
import { useToastStore } from '../../shared/ui/toast.store.ts'
import { useQuestion } from '../../shared/ui/use-question.ts'
import {
  type ActionExtras,
  type ItemAction,
  type ItemSelection,
  type ProbableReport,
  actOn,
  outcomeSentence,
} from './item-actions.ts'
import type { ChosenItems } from './item-selection.ts'
import { t } from './outbox.texts.ts'

export interface ActionQuestion {
  action: ItemAction
  selection: ItemSelection
  /** Null when unknown: a filter that is not fully loaded. */
  count: number | null
  /** The requests, if loaded. */
  items: readonly OutboxItem[]
}

/** Undoing a deletion also restores contacts that were local only. */
function undoneWords(kind: OutboxBatch['kind'], answer: Parameters<typeof undoneText>[0] & { left: number }) {
  if (kind === 'delete') return undoneText(answer)
  const undone = t('outcome.undone', { n: answer.undone })
  return answer.left === 0 ? undone : t('outcome.undoneLeft', { undone, n: answer.left })
}

/** Actions on requests and batches: the question, the calls, and the result as text. */
export function useItemActions(
  client: Pick<Client, 'outbox'>,
  selection: ChosenItems,
  rows: () => readonly OutboxItem[],
  onDone: () => void,
) {
  const question = useQuestion<ActionQuestion>()
  const toasts = useToastStore()
  const undoing = shallowRef<string | null>(null)

  /** Requeueing rejected requests is safe: the service did nothing. Everything else asks first. */
  function ask(next: ActionQuestion): void {
    question.error = null
    if (next.action === 'retry') void act(next, {})
    else question.ask(next)
  }

  function askChosen(action: ItemAction): void {
    const fitting = selection.selectionFor(action)
    if (fitting === null) return
    const ids = 'ids' in fitting.selection ? new Set(fitting.selection.ids) : null
    const items = ids === null ? [] : selection.chosen.value.filter(({ id }) => ids.has(id))
    ask({ action, ...fitting, items })
  }

  /** About every unconfirmed request, loaded or not. If some have a delivery report, only they are marked as sent, and only the others resent or discarded. */
  function askUnknown(action: ItemAction, count: number, reported: readonly ProbableReport[]): void {
    const ids = reported.map(({ id }) => id)
    if (action === 'mark-done' && ids.length > 0) {
      const items = rows().filter(({ id }) => ids.includes(id))
      return ask({ action, selection: { ids }, count: ids.length, items })
    }
    const others = { filter: { states: ['unknown' as const] }, ...(ids.length > 0 && { exceptIds: ids }) }
    ask({ action, selection: others, count: count - ids.length, items: [] })
  }

  function askOne(action: ItemAction, item: OutboxItem | null): void {
    if (item) ask({ action, selection: { ids: [item.id] }, count: 1, items: [item] })
  }

  /** Runs an action and says its result. */
  async function run(action: ItemAction, selected: ItemSelection, extras: ActionExtras): Promise<boolean> {
    const { outcome, error } = await actOn(client, action, selected, extras)
    question.error = error
    if (error === null || outcome.taken > 0) toasts.show(outcomeSentence(action, outcome))
    onDone()
    return error === null
  }

  async function act({ action, selection: selected }: ActionQuestion, extras: ActionExtras): Promise<void> {
    question.busy = true
    const isDone = await run(action, selected, extras)
    question.busy = false
    if (!isDone) return
    question.close()
    selection.clear()
  }

  async function confirm(extras: ActionExtras): Promise<void> {
    if (question.about) await act(question.about, extras)
  }

  async function undo({ id, kind }: OutboxBatch): Promise<void> {
    undoing.value = id
    const answer = await attempt(client.outbox.undo({ batchId: id }))
    undoing.value = null
    question.error = answer.ok ? null : answer.error
    if (answer.ok) toasts.show(undoneWords(kind, answer.value), { stays: answer.value.lost > 0 })
    onDone()
  }

  return { question, undoing, askChosen, askUnknown, askOne, confirm, undo }
}
