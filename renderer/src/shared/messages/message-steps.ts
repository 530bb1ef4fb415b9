import type { Message } from '#contract/domain.ts'
import type { EventRow } from '#contract/events.ts'
import type { MessageRelease } from '#contract/messages.ts'
import { eventLook } from '../events/event-words.ts'
import type { StatusLook } from '../format/status.ts'
import { visibleText } from '../text/visible-controls.ts'
import { releaseLook, releaseSays } from './release-words.ts'

/** From where a step is known: the service's record, a delivery at this console's listener, or what was done here. */
export type StepSource = 'service' | 'listener' | 'console'

/** One step of a message's life. */
export interface MessageStep {
  key: string
  /** When it happened, ISO; by the service's clock where it gives a time. */
  at: string
  source: StepSource
  look: StatusLook
  says: string
  /**
   * Of a delivery: its number, when it arrived here, its error code, how often it came, and where that is known, how long after the
   * first each copy did, milliseconds.
   */
  event: {
    seq: number
    arrivedAt: string
    errorCode: number | null
    copies: number
    copiesAfterMs: readonly number[]
  } | null
}

const zoned = /(z|[+-]\d\d(:?\d\d)?)$/i

/** The service's own time of an event, ISO; times without a zone are UTC (spec, general rule 3). Null when it gives none that can be read. */
function serviceInstant(text: string | null): string | null {
  if (text === null || !/\d:\d/.test(text)) return null
  const ms = Date.parse(zoned.test(text.trim()) ? text.trim() : `${text.trim()}Z`)
  // The year 1 is how some services write "none".
  return Number.isNaN(ms) || new Date(ms).getUTCFullYear() <= 1 ? null : new Date(ms).toISOString()
}

const recordTimes = [
  ['createdAt', 'Created', 'plus'],
  ['sentAt', 'Sent', 'sent'],
  ['deliveredAt', 'Delivered', 'check'],
  ['updatedAt', 'Last changed', 'clock'],
] as const

function recordSteps(record: Message): MessageStep[] {
  const told = new Set<string>()
  return recordTimes.flatMap(([field, label, icon]) => {
    const at = record[field]
    // The last change is usually one of the others.
    if (at === null || (field === 'updatedAt' && told.has(at))) return []
    told.add(at)
    const look: StatusLook = { tone: field === 'deliveredAt' ? 'ok' : 'quiet', icon, label }
    return [{ key: field, at, source: 'service', look, says: '', event: null }]
  })
}

/** The step that a delivery tells of. `copiesAfterMs` are the distances of its copies, the first included. */
export function eventStep(event: EventRow, copiesAfterMs: readonly number[]): MessageStep {
  const { seq, receivedAt: arrivedAt, errorCode, copies } = event
  const says =
    event.kind === 'quarantined'
      ? visibleText(event.quarantineReason ?? 'Not understood')
      : event.kind === 'mo'
        ? visibleText((event.content ?? '').slice(0, 120))
        : ''
  return {
    key: `event-${seq}`,
    at: serviceInstant(event.serviceTime) ?? arrivedAt,
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

/** All that is known of a message in the order it happened; of the same moment, in the order of a message's life. */
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
