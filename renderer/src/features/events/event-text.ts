import type { EventRow, Gap } from '#contract/live/events.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import { errorSays } from '../../shared/events/event-words.ts'
import { gapReason } from '../../shared/format/gap-reason.ts'
import { formatDuration, formatTime } from '../../shared/format/time.ts'
import { byLocale } from '../../shared/i18n/locale.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { t } from './events.texts.ts'

/** Longest inbound text in the list, in characters. */
const excerptLength = 240

/** What a row says beyond its status: the inbound text, the error's meaning, or why it is quarantined. */
export function eventSays(row: EventRow): string {
  if (row.kind === 'quarantined') return visibleText(say(row.quarantineReason ?? t('list.quarantined')))
  if (row.kind === 'mo') return visibleText((row.content ?? '').slice(0, excerptLength))
  return row.errorCode === null ? '' : errorSays(row.errorCode)
}

const day = byLocale((locale) => new Intl.DateTimeFormat(locale, { day: '2-digit', month: 'short' }))

/** Time received to the millisecond, with the day unless it is that of `nowMs`. */
export function arrivalText(iso: string, nowMs: number): string {
  const timeMs = Date.parse(iso)
  if (Number.isNaN(timeMs)) return iso
  const clock = formatTime(iso, 'clock-ms')
  const today = day().format(nowMs)
  const then = day().format(timeMs)
  return then === today && Math.abs(nowMs - timeMs) < 86_400_000 * 2 ? clock : `${then} ${clock}`
}

/** How long after its service time an event was received; null without a readable service time. */
export function delayText(row: Pick<EventRow, 'serviceTime' | 'receivedAt'>): string | null {
  const delayMs = Date.parse(row.receivedAt) - Date.parse(row.serviceTime ?? '')
  if (Number.isNaN(delayMs)) return null
  return delayMs < 0
    ? t('drawer.before', { duration: formatDuration(-delayMs) })
    : t('drawer.after', { duration: formatDuration(delayMs) })
}

/** A gap as the list shows it: when, how long and why. */
export function gapText(gap: Gap, nowMs: number): string {
  const durationMs = gap.to === null ? nowMs - Date.parse(gap.from) : gap.durationMs
  const beyondMinutes = durationMs < 300_000 ? /\.\d+$/ : /:\d\d\.\d+$/
  const short = (iso: string) => arrivalText(iso, nowMs).replace(beyondMinutes, '')
  const until = gap.to === null ? t('gap.now') : short(gap.to)
  return t('gap.title', {
    span: `${short(gap.from)}–${until}`,
    length: formatDuration(durationMs),
    why: gapReason(gap.reason),
  })
}

/** What a gap means: beyond the service's last retry, events are lost. */
export const gapMeaning = (gap: Gap): string => t(gap.proven ? 'gap.lost' : 'gap.late')

/** JSON with line breaks; any other body as received. */
export function readableBody(rawBody: string): string {
  try {
    const value: unknown = JSON.parse(rawBody)
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : rawBody
  } catch {
    return rawBody
  }
}
