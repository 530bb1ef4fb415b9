import type { ColumnTarget, ImportCounts, ImportRecord } from '#contract/imports.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

/** What a column can become; a tag names its key. */
export const targetOptions: readonly { value: ColumnTarget['to']; label: string }[] = [
  { value: 'phone', label: 'Number' },
  { value: 'name', label: 'Full name' },
  { value: 'first-name', label: 'First name' },
  { value: 'last-name', label: 'Last name' },
  { value: 'email', label: 'Email' },
  { value: 'note', label: 'Note' },
  { value: 'tag', label: 'Tag with a key' },
  { value: 'tags', label: 'Tag list' },
  { value: 'ignore', label: 'Don’t import' },
]

/** States of an import as an operator reads them. */
const stateLooks: Record<ImportRecord['state'], StatusLook> = {
  prepared: { tone: 'quiet', icon: 'clock', label: 'Ready' },
  running: { tone: 'info', icon: 'play', label: 'Running' },
  paused: { tone: 'warn', icon: 'pause', label: 'Paused' },
  interrupted: { tone: 'warn', icon: 'warning', label: 'Interrupted' },
  done: { tone: 'ok', icon: 'check', label: 'Done' },
  cancelled: { tone: 'quiet', icon: 'cross', label: 'Cancelled' },
  failed: { tone: 'bad', icon: 'cross', label: 'Failed' },
  undoing: { tone: 'info', icon: 'undo', label: 'Undoing…' },
  undone: { tone: 'quiet', icon: 'undo', label: 'Undone' },
}

/** It runs, waits, or was stopped in between: its task knows what it did until now. */
export const isUnderWay = ({ state }: Pick<ImportRecord, 'state'>): boolean =>
  ['running', 'paused', 'interrupted'].includes(state)

/** How an import stands. While the console is disconnected, one that was not over is as it was last seen. */
export function stateLook(record: Pick<ImportRecord, 'state'>, heard: boolean): StatusLook {
  const look = stateLooks[record.state]
  const isOver = !isUnderWay(record) && record.state !== 'undoing'
  return heard || isOver ? look : { ...look, tone: 'quiet', label: `Last seen ${look.label.toLowerCase()}` }
}

/** Rows that are in the contacts as an import left them. */
export const importedCount = (counts: ImportCounts): number => counts.new + counts.update

/** Rows that were left alone: duplicates, blocked numbers and what changes nothing. */
export const skippedCount = (counts: ImportCounts): number =>
  counts.unchanged + counts.duplicateInFile + counts.duplicateInBook + counts.dnc

/** How many rows an import lists: those that were not stored, and those that were not stored whole. */
export const listedCount = (counts: ImportCounts): number =>
  skippedCount(counts) - counts.unchanged + counts.invalid + counts.partial

/** What an import counted, largest first by kind: its name, its number and how it looks. */
export const figuresOf = (counts: ImportCounts) =>
  [
    { label: 'New', count: counts.new, tone: 'ok' },
    { label: 'Updated', count: counts.update, tone: 'info' },
    { label: 'Skipped', count: skippedCount(counts), tone: 'quiet' },
    { label: 'Rejected', count: counts.invalid, tone: 'bad' },
  ] as const

/** Skipped rows by why, as a sentence; nothing where there are none. */
export function skippedText(counts: ImportCounts): string {
  const parts = (
    [
      [counts.duplicateInFile, 'duplicates in the file'],
      [counts.duplicateInBook, 'already in contacts'],
      [counts.unchanged, 'without changes'],
      [counts.dnc, 'blocked'],
    ] as const
  ).filter(([count]) => count > 0)
  return parts.length === 0
    ? ''
    : `Skipped: ${parts.map(([count, words]) => `${formatCount(count)} ${words}`).join(', ')}.`
}

/** How many imported contacts are blocked, as a sentence; nothing where none is. */
export const markedText = ({ marked }: ImportCounts): string =>
  marked === 0
    ? ''
    : `${formatCount(marked)} imported ${marked === 1 ? 'contact is' : 'contacts are'} on the DNC list or on hold.`

/** How many rows lost an email or tags, as a sentence; nothing where none did. */
export const partialText = ({ partial }: ImportCounts): string =>
  partial === 0 ? '' : `${formatCounted(partial, 'row')} imported without invalid emails or tags.`

/** How many have no name, as a sentence; nothing where all have one. */
export const namelessText = ({ nameless }: ImportCounts): string =>
  nameless === 0
    ? ''
    : `${formatCount(nameless)} ${nameless === 1 ? 'has' : 'have'} no name. A push skips them unless you choose otherwise.`

/** What the number of a row is, below rows. */
export const rowNumbersText = 'Row numbers include the header.'

/** Why so many rows that were not stored are on no list; nothing where there are none. */
export const unlistedText = (count: number): string =>
  count <= 0 ? '' : `${formatCount(count)} more not listed: added to contacts during the import.`

/** What may stand between cells, and what else this file has there. */
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
