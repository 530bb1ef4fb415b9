import { counted } from '../lib/counted.ts'
import type { SalvagedTable } from './salvage.ts'

/** One row and several rows of a table, as an operator calls them. */
const words: Record<string, readonly [one: string, many: string]> = {
  alert_posts: ['posted alert', 'posted alerts'],
  campaign_records: ['stored reading of a campaign', 'stored readings of campaigns'],
  connections: ['connection', 'connections'],
  contacts: ['contact', 'contacts'],
  copies: ['count of repeated deliveries', 'counts of repeated deliveries'],
  deliveries: ['delivery', 'deliveries'],
  dnc_checks: ['check of a file', 'checks of files'],
  erasures: ['receipt of an erasure', 'receipts of erasures'],
  error_code_notes: ['note on an error code', 'notes on error codes'],
  events: ['event', 'events'],
  guard_log: ['entry of the guards’ log', 'entries of the guards’ log'],
  guards: ['guard', 'guards'],
  hashed_holds: ['hold on an erased number', 'holds on erased numbers'],
  holds: ['hold', 'holds'],
  imports: ['import', 'imports'],
  inbox_reads: ['read mark of a conversation', 'read marks of conversations'],
  message_lookups: ['looked-up message', 'looked-up messages'],
  message_releases: ['release of a message', 'releases of messages'],
  ott_channels: ['channel', 'channels'],
  ott_sends: ['send', 'sends'],
  outbox: ['request of the outbox', 'requests of the outbox'],
  outbox_batches: ['batch of the outbox', 'batches of the outbox'],
  pause_receipts: ['pause receipt', 'pause receipts'],
  recovered: ['message read again after a hole', 'messages read again after a hole'],
  recoveries: ['reading after a hole', 'readings after a hole'],
  settings: ['setting', 'settings'],
  spans: ['span of listening', 'spans of listening'],
  tag_batches: ['tag change that could be undone', 'tag changes that could be undone'],
  tag_sets: ['set of tags', 'sets of tags'],
  tasks: ['task', 'tasks'],
  templates: ['template', 'templates'],
  trash: ['deleted contact that could be brought back', 'deleted contacts that could be brought back'],
}

/** Tables of which nobody but the console knows, and whose rows it makes again by itself. */
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

/** What is lost with a table that holds one fact. */
const facts: Record<string, string> = { outbox_control: 'whether the outbox was paused (look at it)' }

/** Whether the rows of a table have a name that an operator knows, or need none. */
export const isNamed = (table: string): boolean => table in words || table in facts || inner.has(table)

const countedRows = (table: string, count: number): string => {
  const [one, many] = words[table] ?? [table.replaceAll('_', ' '), table.replaceAll('_', ' ')]
  return counted(count, one, many)
}

function lostWords({ table, lost }: SalvagedTable): string {
  if (facts[table]) return facts[table]
  return lost === null
    ? `an unknown number of ${words[table]?.[1] ?? table.replaceAll('_', ' ')}`
    : countedRows(table, lost)
}

/** What was carried over out of a damaged database and what was lost, in sentences for the operator. */
export function salvageSentence(tables: readonly SalvagedTable[]): string {
  const told = tables.filter(({ table }) => !inner.has(table))
  const damaged = told.filter(({ lost }) => lost !== 0)
  const isWhole = tables.every(({ lost }) => lost === 0)
  if (damaged.length === 0)
    return isWhole
      ? 'Everything in it could be read and was carried over.'
      : 'Everything of yours in it could be read and was carried over; what could not is made again by itself.'
  const kept = told.filter(({ kept: rows, table }) => rows > 0 && !facts[table])
  const carried =
    kept.length === 0
      ? 'Nothing could be read.'
      : `Carried over: ${kept.map(({ table, kept: rows }) => countedRows(table, rows)).join(', ')}.`
  return `${carried} Lost: ${damaged.map(lostWords).join(', ')}.`
}
