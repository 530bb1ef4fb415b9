import type { ColumnTarget, ImportRow } from '#contract/people/imports.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import type { Column } from '../../shared/table/columns.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { t } from './imports.texts.ts'

const nameTargets: readonly ColumnTarget['to'][] = ['name', 'first-name', 'last-name']

/** Columns of a table of a file’s rows, by column mapping. */
export function rowColumns(targets: readonly ColumnTarget[]): Column<ImportRow>[] {
  const cellsOf = ({ cells }: ImportRow, matches: (to: ColumnTarget['to'] | undefined) => boolean) =>
    cells.filter((cell, at) => cell.trim() !== '' && matches(targets[at]?.to)).join(' · ') || null
  const isName = (to: ColumnTarget['to'] | undefined) => to !== undefined && nameTargets.includes(to)
  return [
    {
      id: 'row',
      title: t('rows.row'),
      width: 56,
      numeric: true,
      muted: true,
      text: ({ sheetRow }) => formatCount(sheetRow),
      hint: ({ line }) => t('rows.line', { line: String(line) }),
    },
    {
      id: 'number',
      title: t('rows.number'),
      width: 136,
      tone: () => 'mono',
      text: (row) => row.phone ?? cellsOf(row, (to) => to === 'phone'),
    },
    {
      id: 'name',
      title: t('rows.name'),
      width: 120,
      grow: 1,
      hide: 1,
      text: ({ name }) => name || null,
    },
    {
      id: 'data',
      title: t('rows.data'),
      width: 120,
      grow: 3,
      hide: 2,
      muted: true,
      text: (row) => cellsOf(row, (to) => to !== 'phone' && !isName(to)),
      hint: ({ cells }) => cells.join(' · '),
    },
    {
      id: 'reason',
      title: t('rows.reason'),
      width: 160,
      grow: 2,
      text: ({ reason }) => say(reason ?? ''),
      hint: ({ reason }) => (reason === null ? undefined : say(reason)),
    },
  ]
}
