import type { ColumnTarget, ImportCounts, ImportRecord } from '#contract/people/imports.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { t } from './imports.texts.ts'

const targets = [
  'phone',
  'name',
  'first-name',
  'last-name',
  'email',
  'country',
  'note',
  'tag',
  'tags',
  'ignore',
] as const satisfies ColumnTarget['to'][]

export const targetOptions = () => targets.map((value) => ({ value, label: t(`target.${value}`) }))

const looks: Record<ImportRecord['state'], Omit<StatusLook, 'label'>> = {
  prepared: { tone: 'quiet', icon: 'clock' },
  running: { tone: 'info', icon: 'play' },
  paused: { tone: 'warn', icon: 'pause' },
  interrupted: { tone: 'warn', icon: 'warning' },
  done: { tone: 'ok', icon: 'check' },
  cancelled: { tone: 'quiet', icon: 'cross' },
  failed: { tone: 'bad', icon: 'cross' },
  undoing: { tone: 'info', icon: 'undo' },
  undone: { tone: 'quiet', icon: 'undo' },
}

/** Running: its task knows its counts. */
export const isUnderWay = ({ state }: Pick<ImportRecord, 'state'>): boolean =>
  state === 'running' || state === 'paused' || state === 'interrupted'

/** Status of an import. While disconnected, a running one shows its last state. */
export function stateLook({ state }: Pick<ImportRecord, 'state'>, connected: boolean): StatusLook {
  const isOpen = state === 'running' || state === 'paused' || state === 'interrupted' || state === 'undoing'
  return connected || !isOpen
    ? { ...looks[state], label: t(`state.${state}`) }
    : { ...looks[state], tone: 'quiet', label: t(`state.${state}Before`) }
}

/** Rows that the import added or changed. */
export const importedCount = (counts: ImportCounts): number => counts.new + counts.update

/** Duplicates, blocked numbers and rows without changes. */
const skippedCount = (counts: ImportCounts): number =>
  counts.unchanged + counts.duplicateInFile + counts.duplicateInContacts + counts.dnc

/** How many rows an import lists: those not imported, or only in part. */
export const listedCount = (counts: ImportCounts): number =>
  skippedCount(counts) - counts.unchanged + counts.invalid + counts.partial

export const figuresOf = (counts: ImportCounts) =>
  [
    { label: t('counts.new'), count: counts.new, tone: 'ok' },
    { label: t('counts.updated'), count: counts.update, tone: 'info' },
    { label: t('counts.skipped'), count: skippedCount(counts), tone: 'quiet' },
    { label: t('counts.rejected'), count: counts.invalid, tone: 'bad' },
  ] as const

type Fact = 'duplicateInFile' | 'duplicateInContacts' | 'unchanged' | 'dnc' | 'partial' | 'nameless'

/** Counts on one line, without zeros. */
export const factsText = (counts: ImportCounts, facts: readonly Fact[]): string =>
  facts
    .filter((fact) => counts[fact] > 0)
    .map((fact) => t(`counts.${fact}`, { n: counts[fact] }))
    .join(' · ')

export const skippedFacts = ['duplicateInFile', 'duplicateInContacts', 'unchanged', 'dnc'] as const

/** Delimiters to choose from, including the current one. */
export function delimiterOptions(inUse: string | undefined): { value: string; label: string }[] {
  const known = [
    { value: ',', label: t('format.comma') },
    { value: ';', label: t('format.semicolon') },
    { value: '\t', label: t('format.tab') },
    { value: '|', label: t('format.bar') },
    { value: ':', label: t('format.colon') },
  ]
  return inUse === undefined || known.some(({ value }) => value === inUse)
    ? known
    : [...known, { value: inUse, label: `“${visibleText(inUse)}”` }]
}

const headerRowsOffered = 20

/** Rows that may name the columns, including the current one; 0 is none. */
export const headerRowOptions = (inUse = 0): { value: number; label: string }[] =>
  Array.from({ length: Math.max(headerRowsOffered, inUse) + 1 }, (_, row) => ({
    value: row,
    label: row === 0 ? t('format.noHeader') : t('format.rowNumber', { row }),
  }))

/** Encodings of the WHATWG standard, those of spreadsheets first. */
const encodings =
  'utf-8 windows-1252 utf-16le utf-16be windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 windows-874 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u ibm866 macintosh x-mac-cyrillic shift_jis euc-jp iso-2022-jp euc-kr gb18030 gbk big5'.split(
    ' ',
  )

export const encodingOptions = () =>
  encodings.map((value) => ({
    value,
    label:
      value === 'windows-1252'
        ? t('format.latin1')
        : value
            .toUpperCase()
            .replace('UTF-16LE', 'UTF-16 LE')
            .replace('UTF-16BE', 'UTF-16 BE')
            .replace('WINDOWS', 'Windows'),
  }))
