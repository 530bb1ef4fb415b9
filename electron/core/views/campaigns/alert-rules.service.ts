import { checkConfirmed } from '../../platform/confirm.ts'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import {
  type AlertConditions,
  type AlertRule,
  builtInRule,
} from '../../../contract/views/campaign-alert-rules.ts'
import type { CampaignMotion, campaignsContract } from '../../../contract/views/campaigns.ts'
import type { Campaign } from '../../../contract/domain.ts'
import { AppError } from '../../../contract/errors.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { SharedValue } from '../../people/team/shared-values.ts'
import type { NewNote } from '../../platform/notifications/notifications.service.ts'
import type { Motion } from './campaign-motion.ts'
import type { ReportShare } from '../../live/events/report-share.ts'
import { type Trip, trippedRules } from './alert-conditions.ts'
import type { StoredAlertRule } from './alert-rules.repository.ts'
import { createAutoPauses, titleOf } from './auto-pauses.ts'
import type { PlatformParts } from '../../platform/parts.ts'

type AlertRuleTrial = OutputOf<typeof campaignsContract, 'tryAlertRule'>

type SharedRule = SharedValue<Pick<AlertRule, 'mode' | 'rules'>>

/** Campaigns named in a trial of a rule. */
const namedMax = 20

export type AlertRulesService = ReturnType<typeof createAlertRulesService>

/** Alert rules of running campaigns: check each reading, notify, and pause once if auto-pause is on. */
export function createAlertRulesService(
  parts: Omit<Parameters<typeof createAutoPauses>[0], 'tell'> &
    Pick<PlatformParts, 'connection' | 'notify'> & {
      motion: (campaignId: string, leastMs: number) => Motion
      /** The running campaigns as last read; null before the first reading. */
      lastRunning: () => { items: readonly Campaign[]; atMs: number } | null
      /** `lastRunning`, if it was read within the current period. */
      freshRunning: () => { items: readonly Campaign[] } | null
      reportShare: (code: number | null, minutes: number, nowMs: number) => ReportShare
      /** A rule was set: a reading is needed now. */
      onSet: () => void
    },
) {
  const { repository, shared, clock } = parts

  const builtIn: StoredAlertRule = { view: builtInRule, armingId: null }
  const effective = (campaignId: string | null): StoredAlertRule =>
    repository.get(campaignId) ?? repository.get(null) ?? builtIn
  const isArmed = (campaignId: string | null) => effective(campaignId).view.mode === 'armed'

  /**
   * Takes a rule of a colleague, without its auto-pause until someone turns that on here, too. Asks for that once, and says when a colleague
   * turns one off that applied here.
   */
  function take({ key, value, isUnreadable, author, versions }: SharedRule): void {
    const campaignId = key === '' ? null : key
    if (isUnreadable) return
    const before = repository.get(campaignId)?.view
    const mayPause = before?.mode === 'armed' || (before?.disarmedAt ?? null) !== null
    const isAsked = value?.mode === 'armed' && !mayPause
    const wasArmed = isArmed(campaignId)
    if (value) repository.put(campaignId, isAsked ? 'notify' : value.mode, value.rules, clock.now())
    else repository.remove(campaignId)
    const isOff = wasArmed && !isAsked && !isArmed(campaignId)
    const isNewlyAsked = isAsked && !(before && versions[1]?.value?.mode === 'armed')
    const text = isOff ? 'disarmedByColleague' : isNewlyAsked ? 'armedByColleague' : null
    if (author === null || text === null) return
    const name = `armed/${parts.connection().id}/${key}/${clock.now()}`
    const query = campaignId === null ? 'alertRules=1' : `id=${encodeURIComponent(campaignId)}`
    parts.notify({
      kind: 'alert-rule',
      key: name,
      text,
      values: {
        name: author,
        rule: campaignId === null ? { key: 'alertRule.default' } : titleOfId(campaignId),
      },
      link: { path: `/campaigns?${query}` },
      // Its author knows.
      post: () => Promise.resolve(author),
    })
  }
  shared.onTaken((kind, key) => {
    if (kind === 'auto-pause') parts.onChange(key)
    if (kind !== 'alert-rule') return
    take(shared.get(kind, key))
    parts.onSet()
    parts.onChange(key === '' ? null : key)
  })
  // An earlier version may not have been able to read some.
  for (const one of shared.list('alert-rule'))
    if (!isTaken(one.value, repository.get(one.key === '' ? null : one.key)?.view ?? null)) take(one)

  function titleOfId(campaignId: string): string {
    const known = parts.lastRunning()?.items.find(({ id }) => id === campaignId)
    return known ? titleOf(known) : campaignId
  }

  function withArmedBy(view: AlertRule): AlertRule {
    const { value, author } = shared.get('alert-rule', view.campaignId ?? '')
    const isAsked = view.mode === 'notify' && view.disarmedAt === null && value?.mode === 'armed'
    return { ...view, armedBy: isAsked ? author : null }
  }

  function tell(
    tripId: number,
    campaignId: string,
    phase: string,
    text: Pick<NewNote, 'text' | 'values'>,
  ): void {
    // Trips are numbered within their connection.
    const trip = `alertRule/${parts.connection().id}/${tripId}`
    parts.notify({
      kind: 'alert-rule',
      key: `${trip}/${phase}`,
      // The outcome of a pause replaces the alert that led to it.
      group: trip,
      ...text,
      link: { path: `/campaigns?id=${encodeURIComponent(campaignId)}` },
      // One computer posts to each webhook, also where a colleague's paused: that one may have none.
      post: (endpoint, post) =>
        parts.act(['post', endpoint, campaignId, phase === 'already-paused' ? 'paused' : phase], post),
    })
  }

  const pauses = createAutoPauses({ ...parts, tell })

  /** The name in a notification: with the id if another running or alerted campaign has the same name. */
  function distinctName(campaign: Campaign, running: readonly Campaign[]): string {
    const title = titleOf(campaign)
    const isRepeated =
      running.some((other) => other.id !== campaign.id && titleOf(other) === title) ||
      repository.trips({ limit: 50 }).some((trip) => trip.campaignId !== campaign.id && trip.title === title)
    return isRepeated ? `${title} (${campaign.id})` : title
  }

  type Shares = (code: number | null, minutes: number) => ReportShare

  /** Shares at one time, each looked up once: they are of all traffic, so the same for every campaign. */
  function sharesAt(atMs: number): Shares {
    const known = new Map<string, ReportShare>()
    return (code, minutes) => {
      const key = `${code} ${minutes}`
      const share = known.get(key) ?? parts.reportShare(code, minutes, atMs)
      known.set(key, share)
      return share
    }
  }

  function tripsOf(campaign: Campaign, rules: AlertConditions, reportShare: Shares): Trip[] {
    const { sentCount, totalRecipients } = campaign
    return trippedRules(rules, {
      campaign,
      motion: parts.motion(campaign.id, (rules.stalled?.minutes ?? 0) * 60_000),
      left: sentCount === null || totalRecipients === null ? null : totalRecipients - sentCount,
      reportShare,
    })
  }

  function judgeOne(
    campaign: Campaign,
    alertRule: StoredAlertRule,
    running: readonly Campaign[],
    atMs: number,
    shares: Shares,
  ): void {
    const trips = tripsOf(campaign, alertRule.view.rules, shares)
    repository.clear(
      campaign.id,
      trips.map(({ rule }) => rule),
      atMs,
    )
    const title = titleOf(campaign)
    let isDecided = false
    for (const trip of trips) {
      const { id, isNew } = repository.trip({ campaignId: campaign.id, title, alertRule, ...trip }, atMs)
      if (isNew) parts.onChange(campaign.id)
      if (alertRule.armingId !== null && !isDecided && repository.decide(id, alertRule, clock.now())) {
        isDecided = true
        pauses.begin(id, campaign, distinctName(campaign, running), trip)
      } else if (isNew)
        tell(id, campaign.id, trip.rule, {
          text: trip.rule === 'failed-share' ? 'failing' : 'alert',
          values: { campaign: distinctName(campaign, running), reading: trip.reading },
        })
    }
  }

  return {
    list: (): AlertRule[] => {
      const stored = repository.all().map(({ view }) => withArmedBy(view))
      return stored.some(({ campaignId }) => campaignId === null) ? stored : [builtInRule, ...stored]
    },
    of(campaignId: string | null): AlertRule | null {
      const view = repository.get(campaignId)?.view
      return view ? withArmedBy(view) : campaignId === null ? builtInRule : null
    },
    /** Throws CONFIRMATION_MISMATCH if auto-pause is turned on for a production connection without its name. */
    set({
      campaignId,
      mode,
      rules,
      confirmName,
    }: InputOf<typeof campaignsContract, 'setAlertRule'>): AlertRule {
      if (mode === 'armed') checkConfirmed(parts.connection(), confirmName)
      if (mode !== 'off' && Object.values(rules).every((rule) => rule === null))
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.ruleCondition' } })
      const alertRule = repository.put(campaignId, mode, rules, clock.now())
      shared.put('alert-rule', campaignId ?? '', { mode, rules })
      if (mode !== 'off') parts.onSet()
      parts.onChange(campaignId)
      return alertRule
    },
    remove(campaignId: string | null) {
      repository.remove(campaignId)
      shared.put('alert-rule', campaignId ?? '', null)
      parts.onChange(campaignId)
    },
    /** What a rule would trigger on at the last reading. */
    tryOut({ campaignId, rules }: { campaignId: string | null; rules: AlertConditions }): AlertRuleTrial {
      const last = parts.lastRunning()
      const watched = (last?.items ?? []).filter(({ id }) =>
        campaignId === null ? repository.get(id) === null : id === campaignId,
      )
      const shares = sharesAt(clock.now())
      const tripped = watched.flatMap((campaign) => {
        const trips = tripsOf(campaign, rules, shares)
        if (trips.length === 0) return []
        return [
          {
            campaignId: campaign.id,
            title: titleOf(campaign),
            readings: trips.map(({ reading }) => reading),
          },
        ]
      })
      return {
        judged: watched.length,
        readAt: isoTime(last?.atMs ?? null),
        trips: tripped.slice(0, namedMax),
        tripped: tripped.length,
      }
    },
    trips: repository.trips,
    /** The colleague whose rule paused a campaign last, and when; null if none did, or this computer was the last. */
    pausedBy(campaignId: string) {
      const { author, versions } = shared.get('auto-pause', campaignId)
      return author === null ? null : { name: author, at: isoTime(versions[0]!.atMs) }
    },
    /** The rule that applies to a campaign. */
    mark(campaignId: string): CampaignMotion['alertRule'] {
      const alertRule = effective(campaignId)
      return {
        mode: alertRule.view.mode,
        own: alertRule.view.campaignId !== null,
        tripped: repository.isTripped(campaignId),
      }
    },
    /** Campaigns whose rule is triggered. */
    triggered: () => repository.openTrips().length,
    /** True if the operator turned a rule on. The built-in one does with fewer readings. */
    active: () =>
      repository.all().some(({ view }) => view.mode !== 'off') || repository.undecided().length > 0,
    /** Checks one reading of all running campaigns. Pauses continue after it resolves. */
    async judge(running: readonly Campaign[], atMs: number): Promise<void> {
      const ids = new Set<string>(running.map(({ id }) => id))
      for (const id of repository.openTrips()) if (!ids.has(id)) repository.clear(id, [], atMs)
      const shares = sharesAt(atMs)
      for (const campaign of running) {
        const alertRule = effective(campaign.id)
        if (alertRule.view.mode !== 'off') judgeOne(campaign, alertRule, running, atMs, shares)
        else repository.clear(campaign.id, [], atMs)
      }
      await pauses.settleSent()
    },
    /** Checks what delivery reports alone can decide, between two readings, for rules that pause. */
    judgeReports(): void {
      // Reports come all day, and few operators have such a rule.
      if (repository.all().every(({ armingId }) => armingId === null)) return
      const nowMs = clock.now()
      const shares = sharesAt(nowMs)
      // After a sleep or an outage, the next reading judges.
      const running = parts.freshRunning()?.items ?? []
      for (const campaign of running) {
        const alertRule = effective(campaign.id)
        const { rules } = alertRule.view
        if (alertRule.armingId === null || !rules.errorShare || repository.isTripped(campaign.id)) continue
        if (tripsOf(campaign, rules, shares).some(({ rule }) => rule === 'error-share'))
          judgeOne(campaign, alertRule, running, nowMs, shares)
      }
    },
    settled: pauses.settled,
  }
}

/** Whether a shared rule is in force here, with its auto-pause or, once that paused or until it is turned on, without. */
const isTaken = (value: SharedRule['value'], view: AlertRule | null): boolean =>
  value === null || view === null
    ? value === view
    : JSON.stringify(value.rules) === JSON.stringify(view.rules) &&
      (value.mode === view.mode || (value.mode === 'armed' && view.mode === 'notify'))
