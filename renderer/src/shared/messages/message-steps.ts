import { say } from '../i18n/core-texts.ts'
import type { Message } from '#contract/domain.ts'
import type { EventRow } from '#contract/live/events.ts'
import type { MessageRelease } from '#contract/views/messages.ts'
import { eventLook } from '../events/event-words.ts'
import type { StatusLook } from '../format/status.ts'
import { t } from '../i18n/shared.texts.ts'
import { visibleText } from '../text/visible-controls.ts'
import { releaseLook, releaseSays } from './release-words.ts'

/** The source of a step: the API record, a delivery, or an action in Switchboard. */
export type StepSource = 'service' | 'listener' | 'console'

export interface MessageStep {
  key: string
  /** ISO time of the step, by the service’s clock if it gives one. */
  at: string
  source: StepSource
  look: StatusLook
  says: string
  /**
   * Of a delivery: its number, arrival time here, error code, count, and if known the delay of each duplicate after the first,
   * milliseconds.
   */
  event: {
    seq: number
    arrivedAt: string
    errorCode: number | null
    copies: number
    copiesAfterMs: readonly number[]
  } | null
}

const recordTimes = [
  ['createdAt', 'created', 'plus'],
  ['sentAt', 'sent', 'sent'],
  ['deliveredAt', 'delivered', 'check'],
  ['updatedAt', 'updated', 'clock'],
] as const

function recordSteps(record: Message): MessageStep[] {
  const seen = new Set<string>()
  return recordTimes.flatMap(([field, text, icon]) => {
    const at = record[field]
    // The last update usually equals one of the others.
    if (at === null || (field === 'updatedAt' && seen.has(at))) return []
    seen.add(at)
    const look: StatusLook = {
      tone: field === 'deliveredAt' ? 'ok' : 'quiet',
      icon,
      label: t(`message.${text}`),
    }
    return [{ key: field, at, source: 'service', look, says: '', event: null }]
  })
}

/** The step of a delivery. `copiesAfterMs`: delay of each copy after the first, which is included. */
export function eventStep(event: EventRow, copiesAfterMs: readonly number[]): MessageStep {
  const { seq, receivedAt: arrivedAt, errorCode, copies } = event
  const says =
    event.kind === 'quarantined'
      ? visibleText(say(event.quarantineReason ?? t('message.unreadable')))
      : event.kind === 'mo'
        ? visibleText((event.content ?? '').slice(0, 120))
        : ''
  return {
    key: `event-${seq}`,
    at: event.serviceTime ?? arrivedAt,
    source: 'listener',
    look: eventLook(event),
    says,
    event: { seq, arrivedAt, errorCode, copies, copiesAfterMs },
  }
}

const releaseStep = (release: MessageRelease): MessageStep[] =>
  release.at === null
    ? []
    : [
        {
          key: `release-${release.seq}`,
          at: release.at,
          source: 'console',
          look: releaseLook(release),
          says: releaseSays(release),
          event: null,
        },
      ]

/** Everything known about a message, oldest first. */
export function messageSteps(known: {
  record: Message | null
  events: readonly { event: EventRow; copies: readonly { afterFirstMs: number }[] }[]
  releases: readonly MessageRelease[]
}): MessageStep[] {
  const steps = [
    ...(known.record ? recordSteps(known.record) : []),
    ...known.events.map(({ event, copies }) =>
      eventStep(
        event,
        copies.map(({ afterFirstMs }) => afterFirstMs),
      ),
    ),
    ...known.releases.flatMap(releaseStep),
  ]
  return steps
    .map((step, index) => ({ step, index, ms: Date.parse(step.at) }))
    .sort((a, b) => a.ms - b.ms || a.index - b.index)
    .map(({ step }) => step)
}
