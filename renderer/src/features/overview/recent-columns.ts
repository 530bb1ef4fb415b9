/** What the spec's message record calls the parts that tell most. */
const names = ['to', 'status', 'body'] as const

/** One message as columns. */
export type RecentRow = Record<(typeof names)[number], string> & {
  /** Null where the item has none. */
  id: string | null
}

/** `recent_messages` as columns, when every item has them all as text; else null: the spec does not show what an item holds. */
export function recentColumns(items: readonly unknown[]): RecentRow[] | null {
  const rows = items.map(rowOf)
  return rows.length > 0 && rows.every((row) => row !== null) ? rows : null
}

function rowOf(item: unknown): RecentRow | null {
  if (typeof item !== 'object' || item === null) return null
  const record = item as Record<string, unknown>
  if (!names.every((name) => typeof record[name] === 'string')) return null
  const { id } = record
  return {
    ...(Object.fromEntries(names.map((name) => [name, record[name]])) as Omit<RecentRow, 'id'>),
    id: (typeof id === 'string' && id !== '') || Number.isSafeInteger(id) ? String(id) : null,
  }
}
