import type { ErrorView } from '#contract/define.ts'
import type { OutboxFilter, OutboxItem, OutboxState } from '#contract/outbox.ts'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { formatCount } from '../../shared/format/numbers.ts'

/** What a person can do with items. */
export type ItemAction = 'mark-done' | 'send-again' | 'discard' | 'retry' | 'cancel'

/** The states in which an item can be acted on. */
export const actionStates: Record<ItemAction, readonly OutboxState[]> = {
  'mark-done': ['unknown'],
  'send-again': ['unknown'],
  discard: ['unknown'],
  retry: ['rejected'],
  cancel: ['held-back', 'queued', 'blocked'],
}

/** Items chosen by hand, or everything that a filter matches. */
export type ItemSelection = { ids: readonly number[] } | { filter: OutboxFilter }

/** Most ids of one call. */
const idsPerCall = 10_000

/** The part of a filter that an action can act on; null when there is none. */
export function filterFor(filter: OutboxFilter, action: ItemAction): OutboxFilter | null {
  const possible = actionStates[action]
  const states = filter.states?.length
    ? filter.states.filter((state) => possible.includes(state))
    : [...possible]
  return states.length > 0 ? { ...filter, states } : null
}

/** The ids of those items that an action can act on. */
export function idsFor(items: readonly OutboxItem[], action: ItemAction): number[] {
  return items.filter(({ state }) => actionStates[action].includes(state)).map(({ id }) => id)
}

/** What came of an action: how many items it took, and how many it left as they were. */
export interface ActionOutcome {
  taken: number
  left: number
}

/** What an action may need beside its items. */
export interface ActionExtras {
  confirmName?: string | undefined
  serviceId?: string | undefined
}

/** Does an action. More ids than one call takes go in several; what was done before a failure stays done, and is told with it. */
export async function actOn(
  client: Pick<Client, 'outbox'>,
  action: ItemAction,
  selection: ItemSelection,
  extras: ActionExtras = {},
): Promise<{ outcome: ActionOutcome; error: ErrorView | null }> {
  const outcome: ActionOutcome = { taken: 0, left: 0 }
  for (const part of partsOf(selection)) {
    const answer = await attempt(call(client, action, part, extras))
    if (!answer.ok) return { outcome, error: answer.error }
    outcome.taken += answer.value.taken
    outcome.left += answer.value.left
  }
  return { outcome, error: null }
}

type Part = { ids: number[] } | { filter: OutboxFilter }

function partsOf(selection: ItemSelection): Part[] {
  if ('filter' in selection) return [{ filter: selection.filter }]
  const parts: Part[] = []
  for (let at = 0; at < selection.ids.length; at += idsPerCall) {
    parts.push({ ids: selection.ids.slice(at, at + idsPerCall) })
  }
  return parts
}

async function call(
  { outbox }: Pick<Client, 'outbox'>,
  action: ItemAction,
  selection: Part,
  { confirmName, serviceId }: ActionExtras,
): Promise<ActionOutcome> {
  if (action === 'cancel') {
    const { cancelled, left } = await outbox.cancel({ selection })
    return { taken: cancelled, left }
  }
  if (action === 'retry') {
    const { queued, left } = await outbox.retryRejected({ selection })
    return { taken: queued, left }
  }
  const { resolved, left } = await outbox.resolve({
    selection,
    how: action,
    ...(confirmName === undefined ? {} : { confirmName }),
    ...(serviceId === undefined || serviceId === '' ? {} : { serviceId }),
  })
  return { taken: resolved, left }
}

const outcomeWords: Record<ItemAction, string> = {
  'mark-done': 'marked as done',
  'send-again': 'queued to be sent again',
  discard: 'discarded',
  retry: 'queued again',
  cancel: 'taken back',
}

/** `14 queued again. 2 were left: their state had changed.` */
export function outcomeSentence(action: ItemAction, { taken, left }: ActionOutcome): string {
  const done = `${formatCount(taken)} ${outcomeWords[action]}.`
  if (left === 0) return done
  return `${done} ${formatCount(left)} ${left === 1 ? 'was' : 'were'} left as ${left === 1 ? 'it was' : 'they were'}: the state had changed.`
}
