import { errorText } from '../../shared/i18n/core-texts.ts'
import type { Freshness } from '#contract/define.ts'
import type { Message } from '#contract/domain.ts'
import type { CampaignOf, ReportedHere } from '#contract/views/messages.ts'
import { mayBeHeld } from '#contract/words.ts'
import { type StatusLook, statusLook, statusText } from '../../shared/format/status.ts'
import { formatTime } from '../../shared/format/time.ts'
import type { LookupResult } from './message-lookup.ts'
import { t } from './messages.texts.ts'

/** One row of the table: a listed message, or a looked-up ID. */
export interface MessageRow {
  id: string
  record: Message | null
  campaign: CampaignOf | null
  look: StatusLook
  /** Shown before the text: a note, or why the text is missing. */
  says: string
  doubtful: boolean
  /** Age of the lookup’s answer; null without one, and in the list, which has one age for all. */
  freshness: Freshness | null
}

export const messageLook = (status: string | null): StatusLook =>
  status === null
    ? { tone: 'quiet', icon: 'dot', label: t('result.noStatus') }
    : statusLook('message', status)

export const listedRow = (record: Message, campaign: CampaignOf | null = null): MessageRow => ({
  id: record.id,
  record,
  campaign,
  look: messageLook(record.status),
  says: '',
  doubtful: false,
  freshness: null,
})

const plain = (id: string, look: StatusLook, says = ''): MessageRow => ({
  id,
  record: null,
  campaign: null,
  look,
  says,
  doubtful: says !== '',
  freshness: null,
})

const failedLook = (): StatusLook => ({ tone: 'bad', icon: 'warning', label: statusText('failed') })

/** A newer delivery report than the answer; empty once the answer agrees. */
function reportText(reported: ReportedHere | undefined, status: string | null): string {
  if (reported === undefined || reported.status === status) return ''
  return t('result.reported', { status: messageLook(reported.status).label, time: formatTime(reported.at) })
}

const joined = (...sentences: string[]) => sentences.filter((one) => one !== '').join(' ')

/** The row of a looked-up ID. `stopped`: the lookup ended before this ID. `reported`: a newer delivery report. */
export function lookedUpRow(
  id: string,
  result: LookupResult | undefined,
  stopped: boolean,
  reported?: ReportedHere,
): MessageRow {
  if (result === undefined || result.kind === 'waiting')
    return plain(id, {
      tone: 'quiet',
      icon: 'clock',
      label: stopped ? t('result.notLookedUp') : statusText('waiting'),
    })
  if (result.kind === 'asking') return plain(id, { tone: 'info', icon: 'sent', label: t('result.lookingUp') })
  if (result.kind === 'lost') return plain(id, failedLook(), errorText(result.error))
  const { record, campaign, outcome, problem, events, freshness } = result.detail
  const stored = events.length > 0 ? t('result.reports', { n: events.length }) : ''
  if (outcome === 'not-found')
    return {
      ...plain(
        id,
        { tone: 'warn', icon: 'cross', label: t('result.notFound') },
        joined(record ? t('result.existed') : '', stored),
      ),
      record,
      freshness: { asOf: result.at, source: 'live', error: null },
    }
  if (outcome === 'failed') return plain(id, failedLook(), joined(problem ? errorText(problem) : '', stored))
  const isCached = outcome === 'last-known'
  const report = reportText(reported, record?.status ?? null)
  return {
    id,
    record,
    campaign,
    look: messageLook(record?.status ?? null),
    says: joined(isCached ? t('result.cached') : '', report),
    doubtful: isCached || report !== '',
    freshness,
  }
}

export const canRelease = (row: MessageRow): boolean => row.record !== null && mayBeHeld(row.record.status)

/** The carrier has most messages within seconds. One that it doesn't have after so long may be held. */
const inTransitMs = 5 * 60_000

/** States of messages that wait for a time or a person. They may be released one by one, in case a service means held. */
const waits = /^\s*(?:scheduled|paused|draft)\s*$/i

/** Campaigns whose messages must not leave: releasing one would send it despite the pause. */
const stopped = new Set<string | null>(['paused', 'cancelled'])
/** Campaigns whose messages may wait long for their turn. */
const unfinished = new Set<string | null>([...stopped, 'running', 'draft'])

/** Whether a message is likely held, and not just in transit when its record was read (`readAt`), or waiting for its campaign. */
export function isLikelyHeld(row: MessageRow, readAt: string | null): boolean {
  const { record, campaign } = row
  const status = record?.status ?? ''
  if (!canRelease(row) || waits.test(status)) return false
  if (/\bh[eo]ld\b/i.test(status)) return !(campaign && stopped.has(campaign.status))
  if (campaign && unfinished.has(campaign.status)) return false
  return Date.parse(readAt ?? '') - Date.parse(record?.createdAt ?? '') > inTransitMs
}

export const toRelease = ({ id, record }: Pick<MessageRow, 'id' | 'record'>) => ({
  id,
  to: record?.to ?? null,
})

export interface RowFilter {
  text: string
  /** Statuses as the service sends them; `null` means no status. Empty: all. */
  statuses: readonly (string | null)[]
  /** Only likely held messages. */
  held: boolean
}
export const everyRow: RowFilter = { text: '', statuses: [], held: false }

/** Rows with one of the statuses and the text in any field. Digits match a number in any notation. */
export function filterRows(
  rows: readonly MessageRow[],
  { text, statuses, held }: RowFilter,
  isHeld: (row: MessageRow) => boolean,
): readonly MessageRow[] {
  const needle = text.trim().toLowerCase()
  const digits = /^[+\d\s()./-]+$/.test(needle) ? needle.replace(/\D/g, '') : ''
  if (needle === '' && statuses.length === 0 && !held) return rows
  return rows.filter((row) => {
    const { id, record, says } = row
    if (held && !isHeld(row)) return false
    if (statuses.length > 0 && !statuses.includes(record?.status ?? null)) return false
    if (needle === '') return true
    const { to, from, body, batchId, providerMessageId } = record ?? {}
    const texts = [id, to, from, body, batchId, providerMessageId, says]
    return (
      texts.some((field) => field?.toLowerCase().includes(needle)) ||
      (digits !== '' && [to, from].some((number) => number?.replace(/\D/g, '').includes(digits)))
    )
  })
}

/** Each status with its count, most frequent first. */
export function statusCounts(
  rows: readonly MessageRow[],
): { status: string | null; label: string; count: number }[] {
  const counts = new Map<string | null, number>()
  for (const { record } of rows) {
    if (record === null) continue
    counts.set(record.status, (counts.get(record.status) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([status, count]) => ({ status, count, label: messageLook(status).label }))
}
