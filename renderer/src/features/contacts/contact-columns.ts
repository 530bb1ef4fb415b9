import type { ContactRow, ContactSort } from '#contract/people/contacts.ts'
import { formatTime, formatUtc } from '../../shared/format/time.ts'
import type { Column } from '../../shared/table/columns.ts'
import { contactLook } from './contact-look.ts'
import { t } from './contacts.texts.ts'

/** Columns of the list. Status and number stay when space runs out. */
export function contactColumns(sort: ContactSort): Column<ContactRow>[] {
  const sorted = (by: ContactSort['by']) =>
    sort.by !== by ? 'none' : sort.descending ? 'descending' : 'ascending'
  return [
    { id: 'selected', title: t('selection.toggle'), width: 20, untitled: true, fits: true },
    {
      id: 'name',
      title: t('column.name'),
      width: 130,
      grow: 1,
      sort: sorted('name'),
      text: ({ name }) => name || t('cell.noName'),
      tone: ({ name }) => (name ? undefined : 'muted'),
    },
    {
      id: 'phone',
      title: t('column.phone'),
      width: 148,
      fits: true,
      sort: sorted('phone'),
      phone: ({ phone }) => phone,
    },
    {
      id: 'email',
      title: t('column.email'),
      width: 120,
      grow: 1.6,
      hide: 2,
      text: ({ email }) => email || null,
    },
    { id: 'status', title: t('column.status'), width: 166, status: contactLook },
    { id: 'tags', title: t('column.tags'), width: 140, grow: 1.3, hide: 1, fits: true },
    {
      id: 'updated',
      title: t('column.updated'),
      width: 104,
      hide: 3,
      muted: true,
      fits: true,
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
