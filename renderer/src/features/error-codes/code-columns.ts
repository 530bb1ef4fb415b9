import type { ErrorCodeCard } from '#contract/views/error-codes.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { formatAge, formatUtc } from '../../shared/format/time.ts'
import type { Column } from '../../shared/table/columns.ts'
import { categoriesOf, meaningOf } from './code-words.ts'
import { t } from './error-codes.texts.ts'

/** Columns of the error codes. */
export const codeColumns = (nowMs: number): Column<ErrorCodeCard>[] => [
  { id: 'code', title: t('columns.code'), width: 84, tone: () => 'mono strong', text: ({ code }) => code },
  {
    id: 'meaning',
    title: t('columns.meaning'),
    width: 160,
    grow: 3,
    text: (row) => meaningOf(row) ?? t('unknown'),
  },
  {
    id: 'category',
    title: t('columns.category'),
    width: 110,
    grow: 1,
    hide: 2,
    muted: true,
    text: categoriesOf,
  },
  {
    id: 'seen',
    title: t('columns.seen'),
    width: 80,
    numeric: true,
    text: ({ seen }) => formatCount(seen.count),
  },
  {
    id: 'last',
    title: t('columns.last'),
    width: 96,
    hide: 1,
    muted: true,
    text: ({ seen }) => (seen.lastAt === null ? null : formatAge(seen.lastAt, nowMs)),
    hint: ({ seen }) => formatUtc(seen.lastAt),
  },
  {
    id: 'note',
    title: t('columns.note'),
    width: 28,
    hide: 1,
    untitled: true,
    muted: true,
    hint: ({ note }) => note || undefined,
  },
]
