import { errorText } from '../../shared/i18n/core-texts.ts'
import type { Notice } from '#contract/connection/status.ts'
import { shorterText } from '../../shared/format/dnc-list.ts'
import { t as shared } from '../../shared/i18n/shared.texts.ts'
import { formatDuration, wholeSecondsUntil } from '../../shared/format/time.ts'
import { failedStill, taskTitle } from '../../shared/tasks/task-words.ts'
import { isFailing } from '../../shared/status/is-failing.ts'
import { signInError } from '../../shared/status/sign-in-error.ts'
import {
  type AttentionInput,
  type AttentionItem,
  bad,
  endsSoonInMs,
  listed,
  ofError,
  oldest,
  warn,
} from './attention-item.ts'
import { gapItems, listenerItems } from './attention-receiving.ts'
import { campaignItems, outboxItems, pauseItems } from './attention-sending.ts'
import { t } from './overview.texts.ts'

/** Everything that needs attention, most urgent first. */
export function attentionItems(input: AttentionInput): AttentionItem[] {
  const items = [
    ...pauseItems(input),
    ...lostEntries(input),
    ...input.status.notices.flatMap(noticeItem),
    ...listenerItems(input),
    ...serviceItems(input),
    ...campaignItems(input),
    ...outboxItems(input),
    ...gapItems(input),
    ...listItems(input),
    ...taskItems(input),
  ]
  return [...items.filter(({ tone }) => tone === 'bad'), ...items.filter(({ tone }) => tone === 'warn')]
}

/** Pages for the codes of notices; the others concern storage or the start. */
const noticePlaces: Record<string, string> = {
  SUBSCRIPTIONS_LEFT_BEHIND: '/webhooks',
  SUBSCRIPTION_NOT_MADE: '/webhooks',
  RESTORED_PAUSED: '/outbox',
  TEAM_ERASED: '/team',
}

/** Minor notices stay under the bell. */
function noticeItem({ id, severity, error }: Notice): AttentionItem[] {
  if (severity !== 'error') return []
  const to = noticePlaces[error.code] ?? '/settings?section=about'
  const label =
    to === '/webhooks'
      ? t('action.webhooks')
      : to.endsWith('about')
        ? t('action.details')
        : t('action.review')
  return [bad({ id: `notice/${id}`, icon: 'warning', ...ofError(error), action: { label, to } })]
}

function serviceItems({ status, nowMs }: AttentionInput): AttentionItem[] {
  const { session, network, budget, connection } = status
  const signIn = { label: t('action.signIn'), to: `/connect?id=${encodeURIComponent(connection?.id ?? '')}` }
  const signedOut = connection && signInError(session)
  const endsInMs = endsSoonInMs(session, nowMs)
  const pausedMs = wholeSecondsUntil(budget?.pausedUntil ?? null, nowMs)
  return listed(
    signedOut && bad({ id: 'session', icon: 'user', ...ofError(signedOut), action: signIn }),
    endsInMs !== null &&
      warn({
        id: 'session',
        icon: 'user',
        text: t('attention.signInEnds', { duration: formatDuration(endsInMs) }),
        action: signIn,
      }),
    network.reachable === false &&
      bad({
        id: 'network',
        icon: 'offline',
        since: network.lastAnswerAt,
        text: t(isFailing(network) ? 'attention.failing' : 'attention.unreachable'),
        detail: network.problem ? errorText(network.problem) : '',
        action: { label: t('retry'), command: 'overview.refresh' },
      }),
    pausedMs > 0 &&
      warn({
        id: 'limit',
        icon: 'gauge',
        text: t('attention.limited'),
        detail: t('attention.limitedFor', { duration: formatDuration(pausedMs) }),
        action: { label: t('action.outbox'), to: '/outbox' },
      }),
  )
}

/** The service’s DNC list lost many entries at once. */
function lostEntries({ dncList }: AttentionInput): AttentionItem[] {
  const text = dncList && shorterText(dncList)
  if (text === null) return []
  const action = { label: t('action.review'), to: '/dnc' }
  return [bad({ id: 'shorter', icon: 'ban', text, detail: shared('dncList.stillBlock'), action })]
}

function listItems({ dncList, holds, possibleOptOuts, quarantined }: AttentionInput): AttentionItem[] {
  const isTeamStale = dncList?.state === 'team-stale'
  return listed(
    possibleOptOuts > 0 &&
      warn({
        id: 'possible-opt-outs',
        icon: 'hand',
        text: t('attention.possibleOptOuts', { n: possibleOptOuts }),
        detail: t('attention.possibleOptOutsDetail'),
        action: { label: t('action.review'), to: '/inbox?show=possible-opt-outs' },
      }),
    quarantined > 0 &&
      warn({
        id: 'quarantined',
        icon: 'warning',
        text: t('attention.quarantined', { n: quarantined }),
        detail: t('attention.quarantinedDetail'),
        action: { label: t('action.review'), to: '/events?kind=quarantined' },
      }),
    dncList &&
      dncList.state !== 'fresh' &&
      // Its entries have their own item.
      dncList.state !== 'unreadable' &&
      dncList.sync?.state !== 'running' &&
      warn({
        id: 'dnc',
        icon: 'ban',
        text: t(`attention.dnc.${dncList.state}`),
        detail: t(isTeamStale ? 'attention.noClearTeam' : 'attention.noClear'),
        since: isTeamStale ? dncList.teamReadAt : dncList.asOf,
        action: isTeamStale
          ? { label: t('action.review'), to: '/team' }
          : { label: t('action.sync'), command: 'dnc.sync' },
      }),
    dncList &&
      dncList.withoutCountry > 0 &&
      warn({
        id: 'country',
        icon: 'warning',
        text: t('attention.country'),
        detail: t('attention.countryDetail', { n: dncList.withoutCountry }),
        action: { label: t('action.country'), to: '/settings?section=numbers' },
      }),
    dncList &&
      dncList.unreadable > 0 &&
      warn({
        id: 'unreadable',
        icon: 'ban',
        text:
          dncList.state === 'unreadable'
            ? t('attention.noneRead')
            : t('attention.unreadable', { n: dncList.unreadable }),
        detail: t('attention.unreadableDetail'),
        action: { label: t('action.entries'), to: '/dnc?which=unreadable' },
      }),
    dncList &&
      dncList.unreadableHolds > 0 &&
      warn({
        id: 'unreadable-holds',
        icon: 'hand',
        text: t('attention.unreadableHolds', { n: dncList.unreadableHolds }),
        detail: t('attention.unreadableHoldsDetail'),
        action: { label: t('action.openHolds'), to: '/dnc?tab=holds' },
      }),
    holds &&
      holds.total > 0 &&
      warn({
        id: 'holds',
        icon: 'hand',
        text: t('attention.holds', { n: holds.total }),
        detail: t('attention.sendExport', { n: holds.total }),
        since: oldest(holds.items.map(({ since }) => since)),
        action: { label: t('action.holds'), to: '/dnc?tab=holds' },
      }),
  )
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
