import type { EventRow } from '#contract/live/events.ts'
import { reportCodeMeaning } from '#contract/words.ts'
import { type StatusLook, statusLook } from '../format/status.ts'
import { formatDuration } from '../format/time.ts'
import { say } from '../i18n/core-texts.ts'
import { t } from '../i18n/shared.texts.ts'

/** How a row's status is drawn: a report by its status, others by their kind. */
export function eventLook(row: EventRow): StatusLook {
  if (row.kind !== 'dlr' || row.status === null) return statusLook('event', row.kind)
  return statusLook('message', row.status)
}

/** An error code, with its meaning if the spec gives one. */
export function errorSays(code: number): string {
  const meaning = reportCodeMeaning(String(code))
  return meaning === null
    ? t('event.code', { code: String(code) })
    : t('event.codeMeaning', { code: String(code), meaning: say(meaning) })
}

/** Maximum number of duplicates listed one by one: the service delivers up to three times, a replay may bring many more. */
const listedMax = 5

/** How often one event was delivered: `Received 3 times`. */
const timesText = (copies: number): string => t('event.received', { n: Math.max(1, copies) })

/** The deliveries of one event by their distance from the first: `Received 3 times · 5 s later, 25 s later`. */
export function copiesText(afterFirstMs: readonly number[]): string {
  const again = afterFirstMs.slice(1)
  const listed = again.slice(0, listedMax).map((ms) => t('event.later', { duration: formatDuration(ms) }))
  const more = again.length - listed.length
  const facts = more > 0 ? [...listed, t('event.more', { n: more })] : listed
  return [timesText(afterFirstMs.length), facts.join(', ')].filter(Boolean).join(' · ')
}
