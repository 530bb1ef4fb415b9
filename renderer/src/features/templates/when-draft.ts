import type { LocalHours } from '#contract/people/outbox.ts'
import { t as shared } from '../../shared/i18n/shared.texts.ts'
import { t } from './templates.texts.ts'

/** When a bulk send leaves, as typed: times are in the operator's time zone, hours in each recipient's. */
export interface WhenDraft {
  isLater: boolean
  /** Of a `datetime-local` field. */
  start: string
  keepsHours: boolean
  /** Of `time` fields. */
  from: string
  to: string
}

export const emptyWhen: WhenDraft = {
  isLater: false,
  start: '',
  keepsHours: false,
  from: '09:00',
  to: '20:00',
}

const minuteOf = (time: string): number => {
  const [hour = NaN, minute = NaN] = time.split(':').map(Number)
  return hour * 60 + minute
}

/** The start of a send, null for now; undefined when the time is missing or past. */
function startOf({ isLater, start }: Pick<WhenDraft, 'isLater' | 'start'>, nowMs: number) {
  if (!isLater) return null
  const ms = Date.parse(start)
  return ms > nowMs ? new Date(ms).toISOString() : undefined
}

/** The order of a draft, or why there is none. */
export function readWhen(
  draft: WhenDraft,
  nowMs: number,
): { startAt: string | null; hours: LocalHours | null; problem: null } | { problem: string } {
  const startAt = startOf(draft, nowMs)
  if (startAt === undefined) return { problem: shared('time.past') }
  if (!draft.keepsHours) return { startAt, hours: null, problem: null }
  const hours = { fromMinute: minuteOf(draft.from), toMinute: minuteOf(draft.to) }
  return hours.fromMinute < hours.toMinute ? { startAt, hours, problem: null } : { problem: t('when.order') }
}
