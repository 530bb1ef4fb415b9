import type { EventRow, Hole } from '#contract/events.ts'
import { errorSays } from '../../shared/events/event-words.ts'
import { holeReason } from '../../shared/format/holes.ts'
import { formatDuration, formatTime } from '../../shared/format/time.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

/** Longest piece of an inbound text in the list, in characters; the drawer has all of it. */
const excerptLength = 240

/** What a row has to say beyond its state: the inbound text, the error's meaning, or why it is in quarantine. */
export function eventSays(row: EventRow): string {
  if (row.kind === 'quarantined') return visibleText(row.quarantineReason ?? 'Not understood')
  if (row.kind === 'mo') return visibleText((row.content ?? '').slice(0, excerptLength))
  return row.errorCode === null ? '' : errorSays(row.errorCode)
}

const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })

/** Time of arrival to the millisecond, with the day when it is not that of `nowMs`. */
export function arrivalText(iso: string, nowMs: number): string {
  const timeMs = Date.parse(iso)
  if (Number.isNaN(timeMs)) return iso
  const clock = formatTime(iso, 'clock-ms')
  const today = day.format(nowMs)
  const then = day.format(timeMs)
  return then === today && Math.abs(nowMs - timeMs) < 86_400_000 * 2 ? clock : `${then} ${clock}`
}

/** How much later this console received the event than the service dates it, or null when it gives no readable time. */
export function delayText(row: Pick<EventRow, 'serviceTime' | 'receivedAt'>): string | null {
  const delayMs = Date.parse(row.receivedAt) - Date.parse(row.serviceTime ?? '')
  if (Number.isNaN(delayMs)) return null
  return delayMs < 0
    ? `${formatDuration(-delayMs)} before the service's own time`
    : `${formatDuration(delayMs)} after the service's own time`
}

/** A hole as the stream shows it: when, why, how long. */
export function holeText(hole: Hole, nowMs: number): { span: string; why: string; length: string } {
  const durationMs = hole.to === null ? nowMs - Date.parse(hole.from) : hole.durationMs
  const beyondMinutes = durationMs < 300_000 ? /\.\d+$/ : /:\d\d\.\d+$/
  const short = (iso: string) => arrivalText(iso, nowMs).replace(beyondMinutes, '')
  const until = hole.to === null ? 'now' : short(hole.to)
  return {
    span: `${short(hole.from)}–${until}`,
    why: holeReason(hole.reason),
    length: formatDuration(durationMs),
  }
}

/** What a hole means for the record: beyond the service's last retry, events are lost for good. */
export function holeMeaning(hole: Hole): string {
  return hole.proven
    ? 'Longer than the service retries: what it sent then may be missing for good.'
    : 'Shorter than the service retries: what it sent then may have come later.'
}

/** JSON with its lines broken for reading; any other body as it came. */
export function readableBody(rawBody: string): string {
  try {
    const value: unknown = JSON.parse(rawBody)
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : rawBody
  } catch {
    return rawBody
  }
}
