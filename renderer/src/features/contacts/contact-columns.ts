import type { ContactRow, ContactSort } from '#contract/people/contacts.ts'
import { formatTime, formatUtc } from '../../shared/format/time.ts'
import type { Column } from '../../shared/table/columns.ts'
import { t } from './contacts.texts.ts'

/** Columns of the list. Status and number stay when space runs out. */
export function contactColumns(sort: ContactSort): Column<ContactRow>[] {
  const sorted = (by: ContactSort['by']) =>
    sort.by !== by ? 'none' : sort.descending ? 'descending' : 'ascending'
  return [
    { id: 'selected', title: t('selection.toggle'), width: 20, untitled: true },
    { id: 'name', title: t('column.name'), width: 96, grow: 1.4, sort: sorted('name') },
    {
      id: 'phone',
      title: t('column.phone'),
      width: 136,
      sort: sorted('phone'),
      text: ({ phone }) => phone,
    },
    {
      id: 'email',
      title: t('column.email'),
      width: 120,
      grow: 1.2,
      hide: 2,
      text: ({ email }) => email || null,
    },
    { id: 'status', title: t('column.status'), width: 166 },
    { id: 'tags', title: t('column.tags'), width: 150, grow: 1.3, hide: 1 },
    {
      id: 'updated',
      title: t('column.updated'),
      width: 104,
      hide: 3,
      muted: true,
      sort: sorted('updated'),
      text: ({ updatedAt }) => formatTime(updatedAt, 'minute'),
      hint: ({ updatedAt }) => formatUtc(updatedAt),
    },
  ]
}

/** The sort after a click on a column’s title. Times start with the latest. */
export function sortBy(column: string, now: ContactSort): ContactSort {
  const by = column as ContactSort['by']
  return { by, descending: now.by === by ? !now.descending : by === 'updated' }
}
