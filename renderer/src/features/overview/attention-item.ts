import { errorText } from '../../shared/i18n/core-texts.ts'
import type { TriggeredAlert } from '#contract/views/campaign-alert-rules.ts'
import type { CampaignWatchState, PauseReceipt } from '#contract/views/campaigns.ts'
import type { ErrorView } from '#contract/define.ts'
import type { DncCache, Hold } from '#contract/people/dnc.ts'
import type { Gap } from '#contract/live/events.ts'
import type { OutboxDrain, OutboxStuck } from '#contract/people/outbox.ts'
import type { GapRecovery } from '#contract/live/recovery.ts'
import type { Status } from '#contract/connection/status.ts'
import type { Task } from '#contract/platform/tasks.ts'
import type { FailedOutcome } from '../../shared/campaigns/pause-campaign.ts'
import type { IconName } from '../../shared/ui/icons.ts'

/** Something an operator must act on now. */
export interface AttentionItem {
  id: string
  tone: 'bad' | 'warn'
  icon: IconName
  text: string
  detail: string
  /** When it began; null if unknown. */
  since: string | null
  /** How to act, the first choice first: a page, or a command by its id. */
  action: AttentionAction
  also?: readonly AttentionAction[]
}

type AttentionAction = { label: string } & ({ to: string } | { command: string })

/** What the page knows; null or empty until read. */
export interface AttentionInput {
  status: Status
  outbox: OutboxDrain | null
  stuck: OutboxStuck | null
  dncList: Pick<
    DncCache,
    | 'state'
    | 'asOf'
    | 'teamReadAt'
    | 'sync'
    | 'entries'
    | 'kept'
    | 'unreadable'
    | 'unreadableHolds'
    | 'withoutCountry'
  > | null
  holds: { items: readonly Pick<Hold, 'since'>[]; total: number } | null
  /** Conversations with possible opt-outs. */
  possibleOptOuts: number
  /** Deliveries of the last day that couldn't be read as events. */
  quarantined: number
  rules: {
    alertRules: readonly { mode: string }[]
    watch: Pick<CampaignWatchState, 'problem' | 'readAt'>
    trips: readonly TriggeredAlert[]
    resumed: readonly Pick<PauseReceipt, 'campaignId' | 'title' | 'endedAt'>[]
  } | null
  /** Pauses after which a campaign may still be sending. */
  pauses: readonly { outcome: Pick<FailedOutcome, 'title' | 'kind'> }[]
  gaps: readonly Gap[]
  recovery: readonly GapRecovery[]
  tasks: readonly Task[]
  nowMs: number
}

type Item = Omit<AttentionItem, 'tone' | 'detail' | 'since'> & Partial<AttentionItem>

export const dayMs = 86_400_000

export const bad = (item: Item): AttentionItem => ({ tone: 'bad', detail: '', since: null, ...item })
export const warn = (item: Item): AttentionItem => ({ tone: 'warn', detail: '', since: null, ...item })
/** The items whose condition is true. */
export const listed = (...items: readonly (AttentionItem | false | null)[]): AttentionItem[] =>
  items.filter((item) => item !== null && item !== false)
export const oldest = (times: readonly string[]): string | null => times.toSorted()[0] ?? null

/** Time until a sign-in ends, on its last day; null before that day. */
export function endsSoonInMs({ state, endsAt }: Status['session'], nowMs: number): number | null {
  const inMs = endsAt === null ? Infinity : Date.parse(endsAt) - nowMs
  return state === 'signed-in' && inMs > 0 && inMs < dayMs ? inMs : null
}

/** An error's first sentence says what happened, the rest what was kept and what to do. */
export const ofError = (error: ErrorView) => ofText(errorText(error))
export function ofText(all: string): { text: string; detail: string } {
  const [first = '', ...rest] = all.split(/(?<=[.?!])\s+/)
  return { text: first.replace(/\.$/, ''), detail: rest.join(' ') }
}
