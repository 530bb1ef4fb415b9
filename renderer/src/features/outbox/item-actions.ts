import type { ErrorView } from '#contract/define.ts'
import type { OutboxFilter, OutboxItem, OutboxStatus } from '#contract/people/outbox.ts'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { t } from './outbox.texts.ts'

export type ItemAction = 'mark-done' | 'send-again' | 'discard' | 'retry' | 'cancel'

/** The states in which each action is possible. */
export const actionStates: Record<ItemAction, readonly OutboxStatus[]> = {
  'mark-done': ['unknown'],
  'send-again': ['unknown'],
  discard: ['unknown'],
  retry: ['rejected', 'not-sent', 'held'],
  cancel: ['undoable', 'scheduled', 'queued', 'blocked'],
}

/** Requests selected one by one, or all matches of a filter but a few. */
export type ItemSelection = { ids: number[] } | { filter: OutboxFilter; exceptIds?: number[] }

/** Maximum IDs per call. */
const idsPerCall = 10_000

/** A filter limited to the states of an action; null when no state is left. */
export function filterFor(filter: OutboxFilter, action: ItemAction): OutboxFilter | null {
  const possible = actionStates[action]
  const states = filter.states?.length
    ? filter.states.filter((state) => possible.includes(state))
    : [...possible]
  return states.length > 0 ? { ...filter, states } : null
}

export function idsFor(items: readonly OutboxItem[], action: ItemAction): number[] {
  return items.filter(({ state }) => actionStates[action].includes(state)).map(({ id }) => id)
}

/** How many requests an action changed, and how many it skipped because their status had changed. */
interface ActionOutcome {
  taken: number
  left: number
  /** Skipped because their numbers must not be contacted. */
  blocked: number
}

export interface ActionExtras {
  confirmName?: string | undefined
  serviceId?: string | undefined
  /** Not resent, because they probably arrived. */
  skipIds?: readonly number[]
}

/** Runs an action, in several calls for many ids. The outcome counts what was done before a failure. */
export async function actOn(
  client: Pick<Client, 'outbox'>,
  action: ItemAction,
  selection: ItemSelection,
  extras: ActionExtras = {},
): Promise<{ outcome: ActionOutcome; error: ErrorView | null }> {
  const outcome: ActionOutcome = { taken: 0, left: 0, blocked: 0 }
  for (const part of partsOf(without(selection, extras.skipIds ?? []))) {
    const answer = await attempt(call(client, action, part, extras))
    if (!answer.ok) return { outcome, error: answer.error }
    outcome.taken += answer.value.taken
    outcome.left += answer.value.left
    outcome.blocked += answer.value.blocked
  }
  return { outcome, error: null }
}

/** What speaks against resending unconfirmed requests, in several calls for many ids. `reportsOnly`: not which are blocked. */
export async function checkResend(
  { sendReports }: Pick<Client, 'sendReports'>,
  selection: ItemSelection,
  reportsOnly: boolean,
  signal: AbortSignal,
) {
  const checks = []
  for (const part of partsOf(selection))
    checks.push(await sendReports.resendCheck({ selection: part, reportsOnly }, { signal }))
  return {
    reports: checks.flatMap(({ reports }) => reports),
    blocked: checks.flatMap(({ blocked }) => blocked),
    blockedCount: checks.reduce((sum, { blockedCount }) => sum + blockedCount, 0),
    more: checks.some(({ more }) => more),
  }
}

export type ResendCheck = Awaited<ReturnType<typeof checkResend>>
/** The delivery report that an unconfirmed message probably has. */
export type ProbableReport = ResendCheck['reports'][number]

function without(selection: ItemSelection, skipIds: readonly number[]): ItemSelection {
  if (skipIds.length === 0) return selection
  return 'filter' in selection
    ? { ...selection, exceptIds: [...(selection.exceptIds ?? []), ...skipIds] }
    : { ids: selection.ids.filter((id) => !skipIds.includes(id)) }
}

function partsOf(selection: ItemSelection): ItemSelection[] {
  if ('filter' in selection) return [selection]
  const parts: ItemSelection[] = []
  for (let at = 0; at < selection.ids.length; at += idsPerCall) {
    parts.push({ ids: selection.ids.slice(at, at + idsPerCall) })
  }
  return parts
}

async function call(
  { outbox }: Pick<Client, 'outbox'>,
  action: ItemAction,
  selection: ItemSelection,
  { confirmName, serviceId }: ActionExtras,
): Promise<ActionOutcome> {
  if (action === 'cancel') {
    const { cancelled, left } = await outbox.cancel({ selection })
    return { taken: cancelled, left, blocked: 0 }
  }
  if (action === 'retry') {
    const { queued, left, blocked } = await outbox.retryRejected({ selection })
    return { taken: queued, left, blocked }
  }
  const { resolved, left, blocked } = await outbox.resolve({
    selection,
    how: action,
    confirmName,
    ...(serviceId === undefined || serviceId === '' ? {} : { serviceId }),
  })
  return { taken: resolved, left, blocked }
}

/** `14 requeued. 2 skipped: their status had changed.` */
export function outcomeSentence(action: ItemAction, { taken, left, blocked }: ActionOutcome): string {
  const taking = t(`outcome.${action}`, { n: taken })
  const done = blocked === 0 ? taking : t('outcome.blocked', { done: taking, n: blocked })
  return left === 0 ? done : t('outcome.skipped', { done, n: left })
}
