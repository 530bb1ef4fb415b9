import { errorPhrase, isAppError, isRefusal } from '../../../contract/errors.ts'
import type { Campaign, CampaignId } from '../../../contract/domain.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import type { AlertPauseState } from '../../../contract/views/campaign-alert-rules.ts'
import { campaignStatusWord } from '../../../contract/words.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import type { PlatformParts } from '../../platform/parts.ts'
import type { NewNote } from '../../platform/notifications/notifications.service.ts'
import type { Trip } from './alert-conditions.ts'
import type { AlertRulesRepository } from './alert-rules.repository.ts'
import { isOfOneCampaign } from './campaign-watch.ts'
import type { PauseCampaign } from './pause-campaign.ts'

/** Pauses of alert rules, each once, and their outcomes. One whose outcome is unknown is never sent again. */
export function createAutoPauses(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    repository: AlertRulesRepository
    shared: SharedValues
    pause: PauseCampaign
    /** Reads one campaign at the service, for the outcome of a pause. */
    read: (id: CampaignId) => Promise<Campaign>
    /** A rule of this campaign changed, triggered, or has an outcome; null: the default rule. */
    onChange: (campaignId: string | null) => void
    /** Does what all consoles of a team would do once. Returns the name of a colleague whose computer did it, or null. */
    act: (
      what: readonly string[],
      work: () => Promise<unknown> | unknown,
      isUrgent?: boolean,
    ) => Promise<string | null>
    tell: (
      tripId: number,
      campaignId: string,
      phase: AlertPauseState,
      text: Pick<NewNote, 'text' | 'values'>,
    ) => void
  },
) {
  const { repository, shared, clock, log } = parts
  const pausing = new Map<number, Promise<void>>()

  // These never left this computer before Switchboard quit, so auto-pause is on again.
  for (const { id, state } of repository.undecided())
    if (state === 'deciding') repository.settle(id, 'not-sent', { key: 'alertRule.notSent' }, clock.now())

  /** How a failed pause ended; null if only the next reading of the campaign shows it, even after a restart. */
  function endOf(error: unknown, sent: boolean): AlertPauseState | null {
    if (isAppError(error, 'CAMPAIGN_ALREADY_PAUSED')) return 'already-paused'
    if (isAppError(error, 'CAMPAIGN_NOT_RUNNING')) return 'not-running'
    if (isAppError(error, 'PAUSE_NOT_CONFIRMED')) return 'unknown'
    if (!sent) return 'not-sent'
    if (isRefusal(error) || isAppError(error, 'FORBIDDEN')) return 'refused'
    return isAppError(error) && error.acted === 'no' ? 'not-sent' : null
  }

  async function pause(tripId: number, campaign: Campaign, title: string, trip: Trip): Promise<void> {
    const { id } = campaign
    let sent = false
    let by: string | null = null
    const settle = (state: AlertPauseState, words: Phrase | null) => {
      repository.settle(tripId, state, words, clock.now())
      parts.onChange(id)
      const values = { campaign: title, reading: trip.reading, outcome: words ?? '' }
      parts.tell(tripId, id, state, { text: state === 'paused' ? 'paused' : 'notPaused', values })
    }
    const pauseOnce = () =>
      parts.pause(id, 'alert-rule', () => {
        sent = true
        repository.noteSent(tripId, clock.now())
      })
    try {
      by = await parts.act(['pause', id], pauseOnce, true)
      // A colleague's computer paused it. If it runs again, or still does, it is this one's turn.
      if (by !== null) await pauseOnce()
      settle('paused', null)
      shared.put('auto-pause', id, titleOf(campaign))
    } catch (error) {
      const state = endOf(error, sent)
      if (state === null) log.warn('An auto-pause is unconfirmed', { campaignId: id, error })
      else if (state === 'already-paused' && by !== null)
        settle(state, { key: 'alertRule.byColleague', name: by })
      else settle(state, isAppError(error) ? errorPhrase(error) : null)
    }
  }

  /** Reads the outcome of unconfirmed pauses. They are never sent again. */
  async function settleSent(): Promise<void> {
    for (const { id, campaignId, state: before } of repository.undecided()) {
      if (before === 'deciding' || pausing.has(id)) continue
      let state: 'paused' | 'not-running' | 'unknown'
      let words: Phrase
      try {
        const campaign = await parts.read(campaignId as CampaignId)
        state =
          campaign.status === 'paused' ? 'paused' : campaign.status === 'running' ? 'unknown' : 'not-running'
        words =
          state === 'paused'
            ? { key: 'alertRule.nowPaused' }
            : { key: 'alertRule.unconfirmed', status: campaignStatusWord(campaign.status) }
      } catch (error) {
        if (!isOfOneCampaign(error)) throw error
        // It may be readable next time; others don't wait for it.
        if (error.code !== 'SERVICE_NOT_FOUND') continue
        state = 'unknown'
        words = errorPhrase(error)
      }
      repository.settle(id, state, words, clock.now())
      parts.onChange(campaignId)
      const text = state === 'paused' ? 'pausedLater' : 'unconfirmed'
      parts.tell(id, campaignId, state, { text, values: { outcome: words } })
    }
  }

  return {
    /** Pauses the campaign for a rule that decided it. */
    begin(tripId: number, campaign: Campaign, title: string, trip: Trip): void {
      const work = pause(tripId, campaign, title, trip)
        .catch((error: unknown) => log.error('Could not store the outcome of an auto-pause', { error }))
        .finally(() => pausing.delete(tripId))
      pausing.set(tripId, work)
    },
    settleSent,
    /** Resolves when no pause is in progress. */
    settled: () => Promise.allSettled(pausing.values()),
  }
}

export const titleOf = ({ id, name }: Campaign) => name?.trim() || id
