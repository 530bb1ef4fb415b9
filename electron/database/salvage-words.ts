import phrases from '../contract/phrases.en.json' with { type: 'json' }
import type { Phrase, Said } from '../contract/phrases.ts'
import type { SalvagedTable } from './salvage.ts'

/** Tables with a name for people. */
const named = phrases.salvaged
type Named = keyof typeof named

/** Internal tables, rebuilt automatically. */
const inner = new Set([
  'store',
  'campaign_reading',
  'changes',
  'folder_tombstones',
  'hold_key',
  'holds_progress',
  'pruned',
  'relay_losses',
  'relay_periods',
  'relay_positions',
  'secret_tombstones',
  'tag_undo',
])

/** A table with a single fact: only its loss is worth saying. */
const single = 'outbox_control'

/** Whether the operator's words cover the table. */
export const isNamed = (table: string): boolean => table in named || inner.has(table)

const nameOf = (table: string): Said =>
  table in named ? { key: `salvaged.${table as Named}` } : table.replaceAll('_', ' ')

const counted = (table: string, count: number): Phrase => ({
  key: 'salvage.count',
  what: nameOf(table),
  count,
})

function lostOf({ table, lost }: SalvagedTable): Phrase {
  if (table === single) return { key: 'salvaged.outbox_control' }
  return lost === null ? { key: 'salvage.unknown', what: nameOf(table) } : counted(table, lost)
}

/** What was recovered from a damaged database and what was lost, for the operator. */
export function salvagePhrase(tables: readonly SalvagedTable[]): Phrase {
  const shown = tables.filter(({ table }) => !inner.has(table))
  const damaged = shown.filter(({ lost }) => lost !== 0)
  const isWhole = tables.every(({ lost }) => lost === 0)
  if (damaged.length === 0) return { key: isWhole ? 'salvage.all' : 'salvage.rebuilt' }
  const kept = shown.filter(({ kept: rows, table }) => rows > 0 && table !== single)
  // Two dozen tables without a count say less than one sentence.
  if (kept.length === 0 && damaged.length > 9) return { key: 'salvage.allLost' }
  const lost = damaged.map(lostOf)
  return kept.length === 0
    ? { key: 'salvage.lost', lost }
    : { key: 'salvage.partly', kept: kept.map(({ table, kept: rows }) => counted(table, rows)), lost }
}
