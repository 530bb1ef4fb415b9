import type { ScheduledMessage } from '#contract/domain.ts'
import { type StatusLook, statusLook } from '../../shared/format/status.ts'
import * as z from 'zod'
import { formatDuration } from '../../shared/format/time.ts'
import { addressText } from '../../shared/list/use-address-filter.ts'
import { t } from './scheduled.texts.ts'

/** Upcoming, pending past its time, or past. */
type Standing = 'upcoming' | 'overdue' | 'past'

/** States after which nothing is sent. The spec shows only `pending`; comparable services use these. */
const overStatuses: readonly string[] = [
  'sent',
  'delivered',
  'failed',
  'rejected',
  'expired',
  'canceled',
  'cancelled',
  'removed',
]

/** The spec's waiting state. Only waiting entries can be overdue. */
export const waitingOfSpec: readonly string[] = ['pending']

/** `waiting`: the connection’s states that count as waiting. */
export function standingOf(
  { status, scheduledAt }: ScheduledMessage,
  nowMs: number,
  waiting: readonly string[] = waitingOfSpec,
): Standing {
  const word = status?.toLowerCase() ?? ''
  const isWaiting = waiting.some((one) => one.toLowerCase() === word)
  if (!isWaiting && overStatuses.includes(word)) return 'past'
  const dueMs = scheduledAt === null ? NaN : Date.parse(scheduledAt)
  if (!(dueMs < nowMs)) return 'upcoming'
  return isWaiting ? 'overdue' : 'past'
}

/** How an entry is shown: overdue before its own status. */
export function scheduledLook(
  item: ScheduledMessage,
  nowMs: number,
  waiting: readonly string[] = waitingOfSpec,
): StatusLook {
  if (standingOf(item, nowMs, waiting) === 'overdue')
    return { tone: 'warn', icon: 'warning', label: t('overdue') }
  if (item.status === null) return { tone: 'quiet', icon: 'dot', label: t('noStatus') }
  return statusLook('scheduled', item.status)
}

/** How long until it is due, or since: `in 3 min 20 s`, `12 min overdue`, `2 h ago`. Null without a time. */
export function countdownText(
  item: ScheduledMessage,
  nowMs: number,
  waiting: readonly string[] = waitingOfSpec,
): string | null {
  const dueMs = item.scheduledAt === null ? NaN : Date.parse(item.scheduledAt)
  if (Number.isNaN(dueMs)) return null
  const leftMs = dueMs - nowMs
  if (leftMs >= 0) return leftMs < 1_000 ? t('now') : t('in', { time: formatDuration(leftMs) })
  const isLate = standingOf(item, nowMs, waiting) === 'overdue'
  return t(isLate ? 'late' : 'ago', { time: formatDuration(-leftMs) })
}

/** The local day of an entry as `2026-11-21`; null without a time. */
function dayOf({ scheduledAt }: Pick<ScheduledMessage, 'scheduledAt'>): string | null {
  const date = new Date(scheduledAt ?? NaN)
  if (Number.isNaN(date.getTime())) return null
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const hourOf = ({ scheduledAt }: Pick<ScheduledMessage, 'scheduledAt'>) =>
  new Date(scheduledAt ?? NaN).getHours()

export const scheduledFilterSchema = z.object({
  which: z.enum(['upcoming', 'overdue', 'past', 'all']).catch('upcoming'),
  /** Part of a number, a sender, the text or the id. */
  text: addressText,
  /** Local day as `dayOf` writes it. */
  day: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/)
    .nullable()
    .catch(null),
  hour: z
    .union([z.string().regex(/^\d{1,2}$/), z.int()])
    .transform(Number)
    .refine((hour) => hour < 24)
    .nullable()
    .catch(null),
})
export type ScheduledFilter = z.infer<typeof scheduledFilterSchema>

function matchesText({ id, toNumber, fromNumber, body, status }: ScheduledMessage, text: string): boolean {
  const needle = text.trim().toLowerCase()
  if (needle === '') return true
  if ([id, toNumber, fromNumber, body, status].some((field) => field?.toLowerCase().includes(needle)))
    return true
  if (!/^[+\d\s()./-]+$/.test(needle)) return false
  const digits = needle.replace(/\D/g, '').replace(/^00/, '')
  return digits !== '' && [toNumber, fromNumber].some((number) => number?.replace(/\D/g, '').includes(digits))
}

/** The entries of a filter, and counts for each of its choices. `nowMs` is the time of loading, so that rows don’t move as time passes. */
export function narrow(
  items: readonly ScheduledMessage[],
  filter: ScheduledFilter,
  nowMs: number,
  waiting: readonly string[] = waitingOfSpec,
) {
  const found = items.filter((item) => matchesText(item, filter.text))
  const counts: Record<ScheduledFilter['which'], number> = {
    upcoming: 0,
    overdue: 0,
    past: 0,
    all: found.length,
  }
  const inWhich: ScheduledMessage[] = []
  for (const item of found) {
    const standing = standingOf(item, nowMs, waiting)
    counts[standing]++
    if (filter.which === 'all' || standing === filter.which) inWhich.push(item)
  }
  const inDay = filter.day === null ? inWhich : inWhich.filter((item) => dayOf(item) === filter.day)
  const rows =
    filter.day === null || filter.hour === null ? inDay : inDay.filter((item) => hourOf(item) === filter.hour)
  const sign = filter.which === 'past' ? -1 : 1
  return {
    rows: [...rows].sort((a, b) => sign * (dueOf(a) - dueOf(b)) || a.id.localeCompare(b.id)),
    counts,
    days: countDays(inWhich, nowMs, waiting),
    hours: filter.day === null ? null : countHours(inDay),
    /** Entries without a time belong to no day. */
    undated: inWhich.filter((item) => dayOf(item) === null).length,
  }
}

/** Entries without a time come last. */
const dueOf = ({ scheduledAt }: ScheduledMessage) => {
  const ms = Date.parse(scheduledAt ?? '')
  return Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : ms
}

/** A day with its number of entries, and of overdue ones. */
export interface DayCount {
  day: string
  count: number
  overdue: number
}

function countDays(
  items: readonly ScheduledMessage[],
  nowMs: number,
  waiting: readonly string[],
): DayCount[] {
  const days = new Map<string, DayCount>()
  for (const item of items) {
    const day = dayOf(item)
    if (day === null) continue
    const known = days.get(day) ?? { day, count: 0, overdue: 0 }
    known.count++
    if (standingOf(item, nowMs, waiting) === 'overdue') known.overdue++
    days.set(day, known)
  }
  return [...days.values()].sort((a, b) => a.day.localeCompare(b.day))
}

function countHours(items: readonly ScheduledMessage[]): number[] {
  const hours = Array.from({ length: 24 }, () => 0)
  for (const item of items) hours[hourOf(item)]!++
  return hours
}
