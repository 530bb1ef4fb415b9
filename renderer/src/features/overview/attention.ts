import { errorText, say } from '../../shared/i18n/core-texts.ts'
import type { TriggeredAlert } from '#contract/views/campaign-alert-rules.ts'
import type { CampaignWatchState } from '#contract/views/campaigns.ts'
import type { ErrorView } from '#contract/define.ts'
import type { DncCache, Hold } from '#contract/people/dnc.ts'
import type { Silence } from '#contract/live/listener.ts'
import { type Gap, missedReasons } from '#contract/live/events.ts'
import type { OutboxDrain, OutboxStuck } from '#contract/people/outbox.ts'
import type { GapRecovery } from '#contract/live/recovery.ts'
import type { Notice, Status } from '#contract/connection/status.ts'
import type { Task } from '#contract/platform/tasks.ts'
import type { FailedOutcome } from '../../shared/campaigns/pause-campaign.ts'
import { gapReason } from '../../shared/format/gap-reason.ts'
import { refusalWords } from '../../shared/format/refusals.ts'
import { formatDuration, wholeSecondsUntil } from '../../shared/format/time.ts'
import { silenceTone } from '../../shared/status/listener-look.ts'
import { isRelayOnly, relayAdvice, relayLook } from '../../shared/status/relay-look.ts'
import { failedStill, taskTitle } from '../../shared/tasks/task-words.ts'
import { signInError } from '../../shared/status/sign-in-error.ts'
import type { IconName } from '../../shared/ui/icons.ts'
import { t } from './overview.texts.ts'
import { openText } from './recovery-words.ts'

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
  also?: AttentionAction
}

type AttentionAction = { label: string } & ({ to: string } | { command: string })

/** What the page knows; null or empty until read. */
export interface AttentionInput {
  status: Status
  outbox: OutboxDrain | null
  stuck: OutboxStuck | null
  dncList: Pick<
    DncCache,
    'state' | 'asOf' | 'sync' | 'unreadable' | 'unreadableHolds' | 'withoutCountry'
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
  } | null
  /** Pauses after which a campaign may still be sending. */
  pauses: readonly { outcome: Pick<FailedOutcome, 'title'> }[]
  gaps: readonly Gap[]
  recovery: readonly GapRecovery[]
  tasks: readonly Task[]
  nowMs: number
}

type Item = Omit<AttentionItem, 'tone' | 'detail' | 'since'> & Partial<AttentionItem>

const dayMs = 86_400_000

const bad = (item: Item): AttentionItem => ({ tone: 'bad', detail: '', since: null, ...item })
const warn = (item: Item): AttentionItem => ({ tone: 'warn', detail: '', since: null, ...item })
const oldest = (times: readonly string[]): string | null => times.toSorted()[0] ?? null

/** An error's first sentence says what happened, the rest what was kept and what to do. */
function ofError(error: ErrorView): { text: string; detail: string } {
  const [first = '', ...rest] = errorText(error).split(/(?<=[.?!])\s+/)
  return { text: first.replace(/\.$/, ''), detail: rest.join(' ') }
}

/** Everything that needs attention, most urgent first. */
export function attentionItems(input: AttentionInput): AttentionItem[] {
  const items = [
    ...pauseItems(input),
    ...input.status.notices.flatMap(noticeItem),
    ...listenerItems(input),
    ...serviceItems(input),
    ...outboxItems(input),
    ...campaignItems(input),
    ...gapItems(input),
    ...listItems(input),
    ...taskItems(input),
  ]
  return [...items.filter(({ tone }) => tone === 'bad'), ...items.filter(({ tone }) => tone === 'warn')]
}

function pauseItems({ pauses, status }: AttentionInput): AttentionItem[] {
  const [first] = pauses
  if (!first) return []
  const n = pauses.length
  const text =
    n === 1 ? t('attention.notPaused', { name: first.outcome.title }) : t('attention.notPausedAll', { n })
  const action = { label: t('action.again'), command: 'campaigns.pause-again' }
  const also = { label: t('action.dashboard'), command: 'connection.dashboard' }
  const hasDashboard = (status.connection?.dashboardUrl ?? null) !== null
  const detail = t('attention.maySend', { n })
  return [bad({ id: 'pauses', icon: 'pause', text, detail, action, ...(hasDashboard ? { also } : {}) })]
}

/** Pages for the codes of notices; the others concern storage or the start. */
const noticePlaces: Record<string, string> = {
  SUBSCRIPTIONS_LEFT_BEHIND: '/webhooks',
  SUBSCRIPTION_NOT_MADE: '/webhooks',
  RESTORED_PAUSED: '/outbox',
}

/** Minor notices stay under the bell. */
function noticeItem({ id, severity, error }: Notice): AttentionItem[] {
  if (severity !== 'error') return []
  const to = noticePlaces[error.code] ?? '/settings?section=about'
  const label =
    to === '/webhooks' ? t('action.webhooks') : to === '/outbox' ? t('action.review') : t('action.details')
  return [bad({ id: `notice/${id}`, icon: 'warning', ...ofError(error), action: { label, to } })]
}

function listenerItems({ status: { listener }, gaps, nowMs }: AttentionInput): AttentionItem[] {
  const action = { label: t('action.listener'), to: '/settings?section=listener' }
  // Alarms have their own items.
  const open = gaps.find(({ to, reason }) => to === null && !missedReasons.some((one) => one === reason))
  const since = open?.from ?? null
  const items: AttentionItem[] = []
  const isAlone = isRelayOnly(listener)
  const { relay } = listener
  const isDown = isAlone && listener.state === 'failed'
  if (relay && (isDown || relay.state === 'refused' || relay.state === 'unreachable'))
    items.push({
      tone: isDown || relay.state === 'refused' ? 'bad' : 'warn',
      id: 'relay',
      icon: 'offline',
      since: isDown ? since : null,
      text: relayLook(relay).label,
      detail: relayAdvice(relay, nowMs) || t('attention.noEvents'),
      action,
    })
  const isWithoutKeychain = listener.problem?.code.startsWith('KEYCHAIN_NO_') ?? false
  if (isWithoutKeychain)
    items.push(
      bad({
        id: 'listener',
        icon: 'key',
        since,
        text: t('attention.secretsLost'),
        detail: t('attention.signedRejected'),
        action,
      }),
    )
  else if (listener.problem)
    items.push(bad({ id: 'listener', icon: 'listening', since, ...ofError(listener.problem), action }))
  else if (!isAlone && (listener.state === 'stopped' || listener.state === 'failed'))
    items.push(
      bad({
        id: 'listener',
        icon: 'listening',
        since,
        text: t('attention.stopped'),
        detail: t('attention.noEvents'),
        action,
      }),
    )
  else if (open && listener.state === 'listening')
    items.push(
      bad({
        id: 'listener',
        icon: 'listening',
        since,
        text: t('attention.noEventsArrive'),
        detail: t('attention.because', { reason: gapReason(open.reason) }),
        action: { label: t('action.webhooks'), to: '/webhooks' },
      }),
    )
  const { silence } = listener
  if (silence) items.push(silenceItem(silence))
  const n = listener.secretsNotKnown
  const refused = listener.refusedLastMinute
  // A new subscription brings its secret.
  if (listener.withoutSecret && !isWithoutKeychain && silence?.kind !== 'no-subscription')
    items.push(
      warn({
        id: 'secret',
        icon: 'key',
        text: t('attention.noSecret'),
        detail: t('attention.signedRejected'),
        action,
      }),
    )
  else if (n > 0 && !isWithoutKeychain)
    items.push(
      warn({
        id: 'secret',
        icon: 'key',
        text: t('attention.secretUnreadable', { n }),
        detail: t('attention.someRejected'),
        action,
      }),
    )
  if (refused > 0)
    items.push(
      warn({
        id: 'rejecting',
        icon: 'ban',
        text: t('attention.rejecting', { n: refused }),
        detail:
          listener.lastRefusalReason === null
            ? ''
            : t('attention.last', { reason: refusalWords(listener.lastRefusalReason) }),
        action,
      }),
    )
  return items
}

/** No subscription points to Switchboard, or reports of sent messages don't come. A new connection only needs its first subscription. */
function silenceItem({ kind, since, sent, subscriptionId }: Silence): AttentionItem {
  const action =
    kind === 'no-reports' && subscriptionId !== null
      ? { label: t('action.test'), to: `/webhooks?test=${encodeURIComponent(subscriptionId)}` }
      : { label: t('action.subscribe'), to: '/webhooks?subscribe=1' }
  return {
    id: 'silence',
    tone: silenceTone(since),
    icon: 'listening',
    text: t(`attention.${kind}`),
    detail: kind === 'no-reports' ? t('attention.sentSince', { n: sent }) : t('attention.noEvents'),
    since,
    action,
  }
}

function serviceItems({ status, nowMs }: AttentionInput): AttentionItem[] {
  const { session, network, budget, connection } = status
  const items: AttentionItem[] = []
  const signIn = { label: t('action.signIn'), to: `/connect?id=${encodeURIComponent(connection?.id ?? '')}` }
  const endsInMs = session.endsAt === null ? Infinity : Date.parse(session.endsAt) - nowMs
  if (connection && ['expired', 'signed-out', 'none'].includes(session.state)) {
    items.push(bad({ id: 'session', icon: 'user', ...ofError(signInError(session)), action: signIn }))
  } else if (session.state === 'signed-in' && endsInMs > 0 && endsInMs < dayMs)
    items.push(
      warn({
        id: 'session',
        icon: 'user',
        text: t('attention.signInEnds', { duration: formatDuration(endsInMs) }),
        action: signIn,
      }),
    )
  if (network.reachable === false)
    items.push(
      bad({
        id: 'network',
        icon: 'offline',
        since: network.lastAnswerAt,
        text: t('attention.unreachable'),
        detail: network.problem ? errorText(network.problem) : '',
        action: { label: t('retry'), command: 'overview.refresh' },
      }),
    )
  const pausedMs = wholeSecondsUntil(budget?.pausedUntil ?? null, nowMs)
  if (pausedMs > 0)
    items.push(
      warn({
        id: 'limit',
        icon: 'gauge',
        text: t('attention.limited'),
        detail: t('attention.limitedFor', { duration: formatDuration(pausedMs) }),
        action: { label: t('action.outbox'), to: '/outbox' },
      }),
    )
  return items
}

function outboxItems({ outbox, stuck }: AttentionInput): AttentionItem[] {
  if (!outbox) return []
  const { counts, state, problem } = outbox
  const open = counts.undoable + counts.scheduled + counts.queued + counts.blocked + counts['in-flight']
  const items: AttentionItem[] = []
  const action = { label: t('action.outbox'), to: '/outbox' }
  const review = (of: string) => ({ label: t('action.review'), to: `/outbox?state=${of}` })
  if (state === 'stopped' && problem)
    items.push(bad({ id: 'outbox', icon: 'outbox', ...ofError(problem), action }))
  if (state === 'paused' && open > 0)
    items.push(
      warn({
        id: 'outbox',
        icon: 'pause',
        text: t('attention.outboxPaused', { n: open }),
        action,
      }),
    )
  if (outbox.missedStarts > 0)
    items.push(
      bad({
        id: 'missed-start',
        icon: 'clock',
        text: t('attention.missedStart', { n: outbox.missedStarts }),
        detail: t('attention.missedStartHint'),
        action,
      }),
    )
  if (counts.unknown > 0)
    items.push(
      warn({
        id: 'unconfirmed',
        icon: 'outbox',
        text: t('attention.unconfirmed', { n: counts.unknown }),
        detail:
          counts.blocked > 0 ? t('attention.blocked', { n: counts.blocked }) : t('attention.neverRetried'),
        since: stuck?.unconfirmedSince ?? null,
        action: review('unknown'),
      }),
    )
  // Rejected requests stay in the outbox forever: only those of the last day are news.
  if (stuck && stuck.rejected > 0)
    items.push(
      warn({
        id: 'rejected',
        icon: 'cross',
        text: t('attention.rejected', { n: stuck.rejected }),
        detail: t('attention.lastDay'),
        since: stuck.rejectedSince,
        action: review('rejected'),
      }),
    )
  if (stuck && stuck.notSent > 0)
    items.push(
      warn({
        id: 'not-sent',
        icon: 'ban',
        text: t('attention.notSent', { n: stuck.notSent }),
        detail: t('attention.blockedLastDay'),
        since: stuck.notSentSince,
        action: review('rejected'),
      }),
    )
  return items
}

function campaignItems({ rules, status, nowMs }: AttentionInput): AttentionItem[] {
  if (!rules) return []
  const isPaused = ({ pause }: TriggeredAlert) =>
    (pause?.state === 'paused' || pause?.state === 'already-paused') && isOfLastDay(pause.decidedAt, nowMs)
  const pauses = Map.groupBy(rules.trips.filter(isPaused), ({ campaignId, rule }) => `${rule}/${campaignId}`)
  const items = [
    ...[...pauses.values()].map(pausesItem),
    ...rules.trips.filter((trip) => !isPaused(trip)).flatMap((trip) => tripItem(trip, nowMs)),
  ]
  const { problem, readAt } = rules.watch
  const isOn = rules.alertRules.some(({ mode }) => mode !== 'off')
  // Without the service or a sign-in, that comes first.
  if (problem && isOn && status.network.reachable !== false && status.session.state === 'signed-in')
    items.push(
      warn({
        id: 'rules',
        icon: 'bell',
        text: t('attention.rulesNotChecked'),
        detail: ofError(problem).text,
        since: readAt,
        action: { label: t('action.rules'), to: '/campaigns?alertRules=1' },
      }),
    )
  return items
}

const isOfLastDay = (time: string, nowMs: number) => nowMs - Date.parse(time) < dayMs

const ofTrip = ({ id, campaignId, reading }: TriggeredAlert) => ({
  id: `trip/${id}`,
  icon: 'campaigns' as const,
  detail: say(reading),
  action: { label: t('action.campaign'), to: `/campaigns?id=${encodeURIComponent(campaignId)}` },
})

/** How often a rule paused a campaign in the last day, with the last time. */
function pausesItem(trips: readonly TriggeredAlert[]): AttentionItem {
  const timeOf = ({ pause }: TriggeredAlert) => pause!.settledAt ?? pause!.decidedAt
  const last = trips.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))[0]!
  const text = t('attention.autoPaused', { name: last.title, n: trips.length })
  return warn({ ...ofTrip(last), text, since: timeOf(last) })
}

/** A rule that is triggered now, or an auto-pause that may have failed. */
function tripItem(trip: TriggeredAlert, nowMs: number): AttentionItem[] {
  const { pause, title: name, reading } = trip
  const item = ofTrip(trip)
  if (
    pause &&
    isOfLastDay(pause.decidedAt, nowMs) &&
    (pause.state === 'refused' || pause.state === 'unknown')
  )
    return [
      bad({
        ...item,
        text: t('attention.autoPauseFailed', { name }),
        detail: say(pause.words ?? reading),
        since: pause.decidedAt,
      }),
    ]
  if (trip.clearedAt !== null) return []
  const text = t(trip.rule === 'failed-share' ? 'attention.failing' : 'attention.triggered', { name })
  return [bad({ ...item, text, since: trip.firstAt })]
}

/** Gaps whose messages were not looked up yet. */
function gapItems({ gaps, recovery }: AttentionInput): AttentionItem[] {
  const open = recovery.filter(({ open, run }) => open.value > 0 && run === null)
  const [newest] = open
  if (!newest) return []
  const gap = gaps.find(({ from }) => from === newest.from)
  return [
    warn({
      id: 'gaps',
      icon: 'warning',
      text:
        open.length === 1 && gap
          ? t('attention.gap', { duration: formatDuration(gap.durationMs) })
          : t('attention.gaps', { n: open.length }),
      detail: openText(newest) ?? '',
      since: newest.from,
      action: { label: t('action.gaps'), to: '/overview?gaps=show' },
    }),
  ]
}

function listItems({ dncList, holds, possibleOptOuts, quarantined }: AttentionInput): AttentionItem[] {
  const items: AttentionItem[] = []
  if (possibleOptOuts > 0)
    items.push(
      warn({
        id: 'possible-opt-outs',
        icon: 'hand',
        text: t('attention.possibleOptOuts', { n: possibleOptOuts }),
        detail: t('attention.possibleOptOutsDetail'),
        action: { label: t('action.review'), to: '/inbox?show=possible-opt-outs' },
      }),
    )
  if (quarantined > 0)
    items.push(
      warn({
        id: 'quarantined',
        icon: 'warning',
        text: t('attention.quarantined', { n: quarantined }),
        detail: t('attention.quarantinedDetail'),
        action: { label: t('action.review'), to: '/events?kind=quarantined' },
      }),
    )
  if (dncList && dncList.state !== 'fresh' && dncList.sync?.state !== 'running')
    items.push(
      warn({
        id: 'dnc',
        icon: 'ban',
        text: t(`attention.dnc.${dncList.state}`),
        detail: t('attention.noClear'),
        since: dncList.asOf,
        action: { label: t('action.sync'), to: '/dnc' },
      }),
    )
  if (dncList && dncList.withoutCountry > 0)
    items.push(
      warn({
        id: 'country',
        icon: 'warning',
        text: t('attention.country'),
        detail: t('attention.countryDetail', { n: dncList.withoutCountry }),
        action: { label: t('action.country'), to: '/settings?section=numbers' },
      }),
    )
  if (dncList && dncList.unreadable > 0)
    items.push(
      warn({
        id: 'unreadable',
        icon: 'ban',
        text: t('attention.unreadable', { n: dncList.unreadable }),
        detail: t('attention.unreadableDetail'),
        action: { label: t('action.entries'), to: '/dnc?which=unreadable' },
      }),
    )
  if (dncList && dncList.unreadableHolds > 0)
    items.push(
      warn({
        id: 'unreadable-holds',
        icon: 'hand',
        text: t('attention.unreadableHolds', { n: dncList.unreadableHolds }),
        detail: t('attention.unreadableHoldsDetail'),
        action: { label: t('action.openHolds'), to: '/dnc?tab=holds' },
      }),
    )
  if (holds && holds.total > 0)
    items.push(
      warn({
        id: 'holds',
        icon: 'hand',
        text: t('attention.holds', { n: holds.total }),
        detail: t('attention.sendExport'),
        since: oldest(holds.items.map(({ since }) => since)),
        action: { label: t('action.holds'), to: '/dnc?tab=holds' },
      }),
    )
  return items
}

function taskItems({ tasks }: AttentionInput): AttentionItem[] {
  const waiting = [...tasks.filter(({ state }) => state === 'interrupted'), ...failedStill(tasks)]
  const [first] = waiting
  if (!first) return []
  return [
    warn({
      id: 'tasks',
      icon: 'tasks',
      text: t('attention.tasks', { n: waiting.length }),
      detail: taskTitle(first.kind),
      since: oldest(waiting.map(({ createdAt, endedAt }) => endedAt ?? createdAt)),
      action: { label: t('action.tasks'), command: 'app.tasks' },
    }),
  ]
}
