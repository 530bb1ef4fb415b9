import type { TemplateVariable } from '#contract/template-text.ts'
import type { ColumnTarget } from '#contract/people/imports.ts'
import type { ValueSource } from '#contract/people/templates.ts'

/** The source of each placeholder’s value by name; null if not selected. */
export type ValueSources = Readonly<Record<string, ValueSource | null>>

interface SourceChoices {
  /** Columns of the file, empty until it is read; null for contacts. */
  columns: readonly string[] | null
  /** The likely meaning of each column. */
  guesses?: readonly ColumnTarget[]
  /** Whether a column of the file is the name. */
  hasNameColumn: boolean
  tagKeys: readonly string[]
}

export function isUsable(source: ValueSource | null | undefined, { columns }: SourceChoices): boolean {
  if (source === null || source === undefined) return false
  if (source.from === 'column')
    return columns !== null && (columns.length === 0 || source.column < columns.length)
  if (['tag', 'email', 'first-name', 'last-name'].includes(source.from)) return columns === null
  return source.from !== 'constant' || source.value.trim() !== ''
}

/** Meanings of columns that a placeholder may be named after. */
const guessable: ReadonlySet<string> = new Set(['first-name', 'last-name', 'email'])

/** `First name`, `first_name` and `firstName` are one. */
const bareOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** A likely source for a placeholder of this name. */
function guess(
  name: string,
  { columns, guesses = [], hasNameColumn, tagKeys }: SourceChoices,
): ValueSource | null {
  const plain = name.toLowerCase()
  const bare = bareOf(name)
  const titles = columns?.map(bareOf) ?? []
  const named = titles.indexOf(bare)
  const column = named >= 0 ? named : guesses.findIndex(({ to }) => guessable.has(to) && bare === bareOf(to))
  if (column >= 0) return { from: 'column', column }
  if (columns === null && tagKeys.includes(name)) return { from: 'tag', key: name }
  if (plain === 'name' && (columns === null || hasNameColumn)) return { from: 'name' }
  if (plain === 'phone') return { from: 'phone' }
  const part = columns === null && /^(first|last)[ _-]?name$/.exec(plain)?.[1]
  if (part) return { from: `${part as 'first' | 'last'}-name` }
  return plain === 'email' && columns === null ? { from: 'email' } : null
}

/** The column of a new file with the same name as the selected one, or null. */
function sameColumn(at: number, before: readonly string[], columns: readonly string[]): number | null {
  const name = before[at]?.trim() ?? ''
  if (name === '') return null
  if (columns[at]?.trim() === name) return at
  const found = columns.findIndex((one) => one.trim() === name)
  return found < 0 ? null : found
}

/**
 * Keeps the sources that still fit and guesses the rest. A column is kept only if the new file has one of the same name. `before`:
 * columns of the file in which the sources were selected.
 */
export function fitSources(
  sources: ValueSources,
  variables: readonly TemplateVariable[],
  choices: SourceChoices,
  before: readonly string[],
): ValueSources {
  const { columns } = choices
  const moved = (source: ValueSource | null | undefined): ValueSource | null => {
    if (source?.from !== 'column' || columns === null || columns.length === 0) return source ?? null
    const column = sameColumn(source.column, before, columns)
    const isSameFile = before.length === 0 || before.join('\n') === columns.join('\n')
    if (isSameFile) return source
    return column === null ? null : { from: 'column', column }
  }
  const next: Record<string, ValueSource | null> = Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, moved(source)]),
  )
  for (const { name } of variables) if (!isUsable(next[name], choices)) next[name] = guess(name, choices)
  return next
}
