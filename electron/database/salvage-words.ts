import { counted } from '../lib/counted.ts'
import type { SalvagedTable } from './salvage.ts'

/** A row in the operator's words, with its plural when irregular. */
const words: Record<string, string | readonly [one: string, many: string]> = {
  alert_posts: 'posted alert',
  campaign_records: 'campaign snapshot',
  connections: 'connection',
  contacts: 'contact',
  copies: 'duplicate count',
  deliveries: ['delivery', 'deliveries'],
  dnc_checks: 'file check',
  erasures: 'erasure receipt',
  error_code_notes: 'error code note',
  events: 'event',
  guard_log: ['alert rule log entry', 'alert rule log entries'],
  guards: 'alert rule',
  hashed_holds: ['hold on an erased number', 'holds on erased numbers'],
  holds: 'hold',
  imports: 'import',
  inbox_reads: 'conversation read mark',
  message_lookups: 'looked-up message',
  message_releases: 'message release',
  ott_channels: 'channel',
  ott_sends: 'send',
  outbox: 'outbox request',
  outbox_batches: ['outbox batch', 'outbox batches'],
  pause_receipts: 'pause receipt',
  recovered: ['message re-read after a gap', 'messages re-read after a gap'],
  recoveries: ['gap recovery', 'gap recoveries'],
  settings: 'setting',
  spans: 'listening span',
  tag_batches: 'undoable tag change',
  tag_sets: 'tag set',
  tasks: 'task',
  templates: 'template',
  trash: 'restorable contact',
}

/** Internal tables, rebuilt automatically. */
const inner = new Set([
  'book',
  'campaign_reading',
  'changes',
  'hold_key',
  'holds_progress',
  'pruned',
  'secret_tombstones',
  'tag_undo',
])

/** What is lost with a table of a single fact. */
const facts: Record<string, string> = { outbox_control: 'whether the outbox was paused (check it)' }

/** Whether the operator's words cover the table. */
export const isNamed = (table: string): boolean => table in words || table in facts || inner.has(table)

function rowWords(table: string): readonly [one: string, many: string] {
  const known = words[table] ?? table.replaceAll('_', ' ')
  return typeof known === 'string' ? [known, `${known}s`] : known
}

function lostWords({ table, lost }: SalvagedTable): string {
  if (facts[table]) return facts[table]
  return lost === null ? `an unknown number of ${rowWords(table)[1]}` : counted(lost, ...rowWords(table))
}

/** What was recovered from a damaged database and what was lost, for the operator. */
export function salvageSentence(tables: readonly SalvagedTable[]): string {
  const shown = tables.filter(({ table }) => !inner.has(table))
  const damaged = shown.filter(({ lost }) => lost !== 0)
  const isWhole = tables.every(({ lost }) => lost === 0)
  if (damaged.length === 0)
    return isWhole
      ? 'Everything was recovered.'
      : 'All your data was recovered; the rest is rebuilt automatically.'
  const kept = shown.filter(({ kept: rows, table }) => rows > 0 && !facts[table])
  const recovered =
    kept.length === 0
      ? 'Nothing was recovered.'
      : `Recovered: ${kept.map(({ table, kept: rows }) => counted(rows, ...rowWords(table))).join(', ')}.`
  return `${recovered} Lost: ${damaged.map(lostWords).join(', ')}.`
}
