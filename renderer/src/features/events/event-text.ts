import type { EventRow, Hole } from '#contract/events.ts'
import { holeReason } from '../../shared/format/holes.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { type StatusLook, statusLook } from '../../shared/format/status.ts'
import { formatDuration, formatTime } from '../../shared/format/time.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

/** The spec's four error codes of delivery reports (section "dlr payload"). */
const errorMeanings: Record<number, string> = {
  1: 'Invalid destination',
  2: 'Destination unreachable',
  3: 'Insufficient balance',
  4: 'Message rejected',
}

/** Longest piece of an inbound text in the list, in characters; the drawer has all of it. */
const excerptLength = 240

/** How a row's state is drawn: a report by its status, the others by their kind. */
export function eventLook(row: EventRow): StatusLook {
  if (row.kind !== 'dlr' || row.status === null) return statusLook('event', row.kind)
  return statusLook('message', row.status)
}

/** What a row has to say beyond its state: the inbound text, the error's meaning, or why it is in quarantine. */
export function eventSays(row: EventRow): string {
  if (row.kind === 'quarantined') return visibleText(row.quarantineReason ?? 'Not understood')
  if (row.kind === 'mo') return visibleText((row.content ?? '').slice(0, excerptLength))
  return row.errorCode === null ? '' : errorSays(row.errorCode)
}

/** An error code with its meaning, where the spec gives one. */
export function errorSays(code: number): string {
  const meaning = errorMeanings[code]
  return meaning === undefined ? `Code ${code}` : `Code ${code}: ${meaning}`
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

/** Most copies whose distance is told one by one: the service delivers up to three times, a replay may bring many more. */
const toldCopies = 5

/** How often one event came, in words: `once`, `twice`, `3 times`. */
export function timesText(copies: number): string {
  return copies <= 1 ? 'once' : copies === 2 ? 'twice' : `${formatCount(copies)} times`
}

/** The copies of one event by their distance from the first: `Received 3 times: again 5 s and 25 s after the first`. */
export function copiesText(afterFirstMs: readonly number[]): string {
  const received = `Received ${timesText(afterFirstMs.length)}`
  const again = afterFirstMs.slice(1).map((ms) => formatDuration(ms))
  if (again.length === 0) return received
  const more = again.length - toldCopies
  const told = more > 0 ? [...again.slice(0, toldCopies), `${formatCount(more)} more`] : again
  const list = told.length === 1 ? told[0]! : `${told.slice(0, -1).join(', ')} and ${told.at(-1)!}`
  return `${received}: again ${list}${more > 0 ? '' : ' after the first'}`
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
