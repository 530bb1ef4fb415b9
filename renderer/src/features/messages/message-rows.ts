import type { Freshness } from '#contract/define.ts'
import type { Message } from '#contract/domain.ts'
import type { ReportedHere } from '#contract/views/messages.ts'
import { mayBeHeld } from '#contract/words.ts'
import { type StatusLook, statusLook } from '../../shared/format/status.ts'
import { formatTime } from '../../shared/format/time.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import type { LookupResult } from './message-lookup.ts'

/** One row of the table: a message of the list, or an id that was looked up. */
export interface MessageRow {
  id: string
  record: Message | null
  look: StatusLook
  /** In place of the text where there is no record, or beside it where it is not of now. */
  says: string
  doubtful: boolean
  /** Of the answer about an id that was looked up; null where there is none, and for the list, which has one for all. */
  freshness: Freshness | null
}

/** How a status is drawn; `No status` where the service gave none. */
export const messageLook = (status: string | null): StatusLook =>
  status === null ? { tone: 'quiet', icon: 'dot', label: 'No status' } : statusLook('message', status)

export const listedRow = (record: Message): MessageRow => ({
  id: record.id,
  record,
  look: messageLook(record.status),
  says: '',
  doubtful: false,
  freshness: null,
})

const plain = (id: string, look: StatusLook, says: string): MessageRow => ({
  id,
  record: null,
  look,
  says,
  doubtful: true,
  freshness: null,
})

/** What a report here says beyond the answer; empty where the answer was put right meanwhile. */
function reportText(reported: ReportedHere | undefined, status: string | null): string {
  if (reported === undefined || reported.status.toLowerCase() === status?.toLowerCase()) return ''
  return `Reported ${visibleText(messageLook(reported.status).label)} here ${formatTime(reported.at)}.`
}

/**
 * The row of an id that was looked up. `stopped`: the lookup has ended before it came to this one. `reported`: what a report here
 * says beyond the answer.
 */
export function lookedUpRow(
  id: string,
  result: LookupResult | undefined,
  stopped: boolean,
  reported?: ReportedHere,
): MessageRow {
  if (result === undefined || result.kind === 'waiting')
    return {
      ...plain(id, { tone: 'quiet', icon: 'clock', label: stopped ? 'Not asked' : 'Waiting' }, ''),
      doubtful: false,
    }
  if (result.kind === 'asking')
    return { ...plain(id, { tone: 'info', icon: 'sent', label: 'Asking' }, ''), doubtful: false }
  if (result.kind === 'lost')
    return plain(id, { tone: 'bad', icon: 'warning', label: 'Failed' }, result.error.text)
  const { detail } = result
  const { record, outcome, problem, events, freshness } = detail
  const here =
    events.length > 0
      ? ` ${events.length === 1 ? 'One report' : `${events.length} reports`} of it arrived here.`
      : ''
  if (outcome === 'not-found')
    return {
      ...plain(
        id,
        { tone: 'warn', icon: 'cross', label: 'Not found' },
        `The service does not know this id.${record ? ' It did before.' : ''}${here}`,
      ),
      record,
      freshness: { asOf: result.at, source: 'live', error: null },
    }
  if (outcome === 'failed')
    return plain(id, { tone: 'bad', icon: 'warning', label: 'Failed' }, `${problem?.text ?? ''}${here}`)
  const report = reportText(reported, record?.status ?? null)
  return {
    id,
    record,
    look: messageLook(record?.status ?? null),
    says: [outcome === 'last-known' ? 'Last known.' : '', report].filter((part) => part !== '').join(' '),
    doubtful: outcome === 'last-known' || report !== '',
    freshness,
  }
}

/** Whether a release is on offer for what is known of a message. */
export const canRelease = (row: MessageRow): boolean => row.record !== null && mayBeHeld(row.record.status)

/** What the rows are narrowed to, of those that are loaded. */
export interface RowFilter {
  text: string
  /** Status words as the service gives them; `null` stands for none. Empty: all. */
  statuses: readonly (string | null)[]
}

/** Rows that hold the text in any of their fields, and digits in a number however it is written, and have one of the statuses. */
export function filterRows(
  rows: readonly MessageRow[],
  { text, statuses }: RowFilter,
): readonly MessageRow[] {
  const wanted = text.trim().toLowerCase()
  const digits = /^[+\d\s()./-]+$/.test(wanted) ? wanted.replace(/\D/g, '') : ''
  if (wanted === '' && statuses.length === 0) return rows
  return rows.filter(({ id, record, says }) => {
    if (statuses.length > 0 && !statuses.includes(record?.status ?? null)) return false
    if (wanted === '') return true
    const { to, from, body, batchId, providerMessageId } = record ?? {}
    const texts = [id, to, from, body, batchId, providerMessageId, says]
    return (
      texts.some((field) => field?.toLowerCase().includes(wanted)) ||
      (digits !== '' && [to, from].some((number) => number?.replace(/\D/g, '').includes(digits)))
    )
  })
}

/** The statuses that occur, each with how often, in order of count. */
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
    .map(([status, count]) => ({ status, count, label: visibleText(messageLook(status).label) }))
}
