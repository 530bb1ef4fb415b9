import type { ColumnTarget, ImportCounts, ImportRecord, RowOutcome } from '#contract/imports.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

/** What becomes of rows, in the order of a report: its count, its words, and how it looks. */
export const outcomes: readonly {
  outcome: RowOutcome
  count: keyof ImportCounts
  words: string
  tone: 'ok' | 'quiet' | 'warn' | 'bad'
}[] = [
  { outcome: 'new', count: 'new', words: 'new', tone: 'ok' },
  { outcome: 'update', count: 'update', words: 'updated', tone: 'ok' },
  { outcome: 'unchanged', count: 'unchanged', words: 'unchanged', tone: 'quiet' },
  { outcome: 'duplicate-in-file', count: 'duplicateInFile', words: 'twice in the file', tone: 'quiet' },
  { outcome: 'duplicate-in-book', count: 'duplicateInBook', words: 'in the book already', tone: 'quiet' },
  { outcome: 'dnc', count: 'dnc', words: 'left out: DNC or held', tone: 'warn' },
  { outcome: 'invalid', count: 'invalid', words: 'invalid', tone: 'bad' },
]

/** What a column can become; a tag names its key. */
export const targetOptions: readonly { value: ColumnTarget['to']; label: string }[] = [
  { value: 'phone', label: 'Number' },
  { value: 'name', label: 'Name' },
  { value: 'email', label: 'E-mail' },
  { value: 'tag', label: 'Tag' },
  { value: 'tags', label: 'Tags (JSON, or key=value; word; …)' },
  { value: 'note', label: 'Note' },
  { value: 'ignore', label: 'Leave out' },
]

/** States of an import as an operator reads them. */
const stateWords: Record<ImportRecord['state'], string> = {
  prepared: 'Prepared',
  running: 'Running',
  paused: 'Paused',
  interrupted: 'Interrupted',
  done: 'Done',
  cancelled: 'Cancelled',
  failed: 'Failed',
  undoing: 'Being undone',
  undone: 'Undone',
}

/** It runs, waits, or was stopped in between: what it did until now, its task knows. */
export const isUnderWay = ({ state }: Pick<ImportRecord, 'state'>): boolean =>
  ['running', 'paused', 'interrupted'].includes(state)

/** Where an import stands. While the console is not heard, one that was not over is as it was last seen. */
export function stateText(record: Pick<ImportRecord, 'state'>, heard: boolean): string {
  const words = stateWords[record.state]
  const isOver = !isUnderWay(record) && record.state !== 'undoing'
  return heard || isOver ? words : `Last seen ${words.toLowerCase()}`
}

/** Typed tags such as `source=fair; year=2026`. `strange` is the first part that is none; null when all are. */
export function readTags(text: string): { tags: Record<string, string>; strange: string | null } {
  const tags = Object.create(null) as Record<string, string>
  let strange: string | null = null
  for (const part of text.split(';').map((one) => one.trim())) {
    if (part === '') continue
    const at = part.indexOf('=')
    const key = part.slice(0, Math.max(0, at)).trim()
    if (key === '') strange ??= part
    else tags[key] = part.slice(at + 1).trim()
  }
  return { tags, strange }
}

/** The counts that are not zero, in a line. */
export function countsText(counts: ImportCounts): string {
  const parts = outcomes
    .filter(({ count }) => counts[count] > 0)
    .map(({ count, words }) => `${formatCount(counts[count])} ${words}`)
  return parts.join(', ') || 'no rows'
}

/** How many of the rows that were stored came in marked, as a sentence; nothing where none did. */
export const markedText = ({ marked }: ImportCounts): string =>
  marked === 0 ? '' : `${formatCount(marked)} of those stored came in marked: on the DNC list or held.`

/** How many came in without what cannot be used, as a sentence; nothing where none did. */
export const partialText = ({ partial }: ImportCounts): string =>
  partial === 0
    ? ''
    : `${formatCounted(partial, 'row')} ${partial === 1 ? 'is' : 'are'} kept without an e-mail or tags that cannot be used.`

/** How many of the rows that were stored have no name, as a sentence; nothing where all have one. */
export const namelessText = ({ nameless }: ImportCounts): string =>
  nameless === 0
    ? ''
    : `${formatCount(nameless)} of those stored ${nameless === 1 ? 'has' : 'have'} no name: the service is expected to refuse contacts without one, so a push leaves them out unless it is told not to.`

/** What an import would do, in a sentence: how many rows are stored, and how many are not. */
export function summaryText(counts: ImportCounts): string {
  const stored = counts.new + counts.update
  const left = counts.unchanged + rejectedCount(counts) - counts.invalid
  const parts = [
    `${formatCount(stored)} would be stored`,
    ...(counts.invalid > 0 ? [`${formatCount(counts.invalid)} cannot be read`] : []),
    ...(left > 0 ? [`${formatCount(left)} would change nothing or be left out`] : []),
  ]
  return `Of ${formatCounted(counts.rows, 'row')}: ${parts.join(', ')}.`
}

/** Why an import would store nothing. */
export const nothingToStore = ({ rows }: Pick<ImportCounts, 'rows'>): string =>
  rows === 0
    ? 'There are no rows in this file to import.'
    : `None of its ${formatCounted(rows, 'row')} would be stored. The figures above say why.`

/** How many rows were not stored, and could be put right. */
const rejectedCount = (counts: ImportCounts): number =>
  counts.duplicateInFile + counts.duplicateInBook + counts.dnc + counts.invalid

/** How many rows an import lists: those that were not stored, and those that were not stored whole. */
export const listedCount = (counts: ImportCounts): number => rejectedCount(counts) + counts.partial

/** What the number of a row is, below rows. */
export const rowNumbersText = 'Rows are numbered as a spreadsheet does: a header is row 1.'

/** What the listed rows are, behind their number. */
export const listedWords = ({ partial }: ImportCounts): string =>
  partial === 0 ? 'not stored' : 'not stored or not whole'

/** Why so many rows that were not stored are on no list; nothing where there are none. */
export const unlistedText = (count: number): string =>
  count <= 0
    ? ''
    : `${formatCounted(count, 'row')} more ${count === 1 ? 'is' : 'are'} not listed: the number came into the book by another way while the import ran.`

/** What may stand between cells, and whatever else this file has there. */
export const delimiterOptions = (inUse: string | undefined): { value: string; label: string }[] => {
  const known = [...delimiters]
  return inUse === undefined || known.some(({ value }) => value === inUse)
    ? known
    : [...known, { value: inUse, label: `“${visibleText(inUse)}”` }]
}

const delimiters = [
  { value: ',', label: 'Comma' },
  { value: ';', label: 'Semicolon' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Bar |' },
  { value: ':', label: 'Colon' },
]

/** How a file's bytes become characters. */
export const encodingOptions = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'utf-16le', label: 'UTF-16 LE' },
  { value: 'utf-16be', label: 'UTF-16 BE' },
  { value: 'latin1', label: 'Latin-1 (Windows)' },
] as const
