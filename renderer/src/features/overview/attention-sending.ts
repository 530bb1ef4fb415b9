import { say } from '../../shared/i18n/core-texts.ts'
import { t as shared } from '../../shared/i18n/shared.texts.ts'
import type { TriggeredAlert } from '#contract/views/campaign-alert-rules.ts'
import {
  type AttentionInput,
  type AttentionItem,
  bad,
  dayMs,
  listed,
  ofError,
  oldest,
  warn,
} from './attention-item.ts'
import { t } from './overview.texts.ts'

export function pauseItems({ pauses, status }: AttentionInput): AttentionItem[] {
  const [first] = pauses
  if (!first) return []
  const n = pauses.length
  const { title: name, kind } = first.outcome
  const text = n === 1 ? t(`attention.pause.${kind}`, { name }) : t('attention.maySendAll', { n })
  const action = { label: t('action.again'), command: 'campaigns.pause-again' }
  const dashboard = { label: t('action.dashboard'), command: 'connection.dashboard' }
  const dismiss = { label: t('action.dismiss'), command: 'campaigns.dismiss-pauses' }
  const hasDashboard = (status.connection?.dashboardUrl ?? null) !== null
  const names = pauses.map(({ outcome }) => outcome.title).join(', ')
  const detail = n === 1 ? t('attention.maySend') : names
  const also = hasDashboard ? [dismiss, dashboard] : [dismiss]
  return [bad({ id: 'pauses', icon: 'pause', text, detail, action, also })]
}

export function outboxItems({ outbox, stuck }: AttentionInput): AttentionItem[] {
  if (!outbox) return []
  const { counts, state, problem } = outbox
  const open = counts.undoable + counts.scheduled + counts.queued + counts.blocked + counts['in-flight']
  const action = { label: t('action.outbox'), to: '/outbox' }
  const review = (of: string) => ({ label: t('action.review'), to: `/outbox?state=${of}` })
  return listed(
    state === 'stopped' && problem && bad({ id: 'outbox', icon: 'outbox', ...ofError(problem), action }),
    state === 'waiting' && problem && warn({ id: 'outbox', icon: 'clock', ...ofError(problem), action }),
    state === 'paused' &&
      open > 0 &&
      warn({
        id: 'outbox',
        icon: 'pause',
        text: t('attention.outboxPaused', { n: open }),
        action,
      }),
    outbox.missedStarts > 0 &&
      bad({
        id: 'missed-start',
        icon: 'clock',
        text: t('attention.missedStart', { n: outbox.missedStarts }),
        detail: shared('time.missed'),
        action,
      }),
    counts.unknown > 0 &&
      warn({
        id: 'unconfirmed',
        icon: 'outbox',
        text: t('attention.unconfirmed', { n: counts.unknown }),
        detail:
          counts.blocked > 0 ? t('attention.blocked', { n: counts.blocked }) : t('attention.neverRetried'),
        since: stuck?.unconfirmedSince ?? null,
        action: review('unknown'),
      }),
    // Rejected requests stay in the outbox forever: only those of the last day are news.
    stuck &&
      stuck.rejected > 0 &&
      warn({
        id: 'rejected',
        icon: 'cross',
        text: t('attention.rejected', { n: stuck.rejected }),
        detail: t('attention.lastDay'),
        since: stuck.rejectedSince,
        action: review('rejected'),
      }),
    stuck &&
      stuck.notSent > 0 &&
      warn({
        id: 'not-sent',
        icon: 'ban',
        text: t('attention.notSent', { n: stuck.notSent }),
        detail: t('attention.blockedLastDay'),
        since: stuck.notSentSince,
        action: review('not-sent,held'),
      }),
  )
}

export function campaignItems({ rules, status, nowMs }: AttentionInput): AttentionItem[] {
  if (!rules) return []
  const isPaused = ({ pause }: TriggeredAlert) =>
    (pause?.state === 'paused' || pause?.state === 'already-paused') && isOfLastDay(pause.decidedAt, nowMs)
  const pauses = Map.groupBy(rules.trips.filter(isPaused), ({ campaignId, rule }) => `${rule}/${campaignId}`)
  const items = [
    ...resumedItem(rules.resumed),
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

/** Campaigns that run again after a confirmed pause. */
function resumedItem(resumed: NonNullable<AttentionInput['rules']>['resumed']): AttentionItem[] {
  const [first] = resumed
  if (!first) return []
  const n = resumed.length
  const names = resumed.map(({ title }) => title).join(', ')
  return [
    bad({
      id: 'resumed',
      icon: 'campaigns',
      text: n === 1 ? t('attention.resumed', { name: names }) : t('attention.resumedAll', { n }),
      detail: n === 1 ? t('attention.resumedDetail') : names,
      since: oldest(resumed.flatMap(({ endedAt }) => endedAt ?? [])),
      action:
        n === 1
          ? openCampaign(first.campaignId)
          : { label: t('action.review'), to: '/campaigns?status=running' },
    }),
  ]
}

const isOfLastDay = (time: string, nowMs: number) => nowMs - Date.parse(time) < dayMs

const openCampaign = (id: string) => ({
  label: t('action.campaign'),
  to: `/campaigns?id=${encodeURIComponent(id)}`,
})

const ofTrip = ({ id, campaignId, reading }: TriggeredAlert) => ({
  id: `trip/${id}`,
  icon: 'campaigns' as const,
  detail: say(reading),
  action: openCampaign(campaignId),
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
  const text = t(trip.rule === 'failed-share' ? 'attention.campaignFailing' : 'attention.triggered', { name })
  return [bad({ ...item, text, since: trip.firstAt })]
}
