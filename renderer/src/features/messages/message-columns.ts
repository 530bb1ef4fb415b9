import { alignedAmounts } from '../../shared/format/numbers.ts'
import { formatTime, formatUtc } from '../../shared/format/time.ts'
import { contactColumn } from '../../shared/people/contact-column.ts'
import type { useKnownNumbers } from '../../shared/people/use-known-numbers.ts'
import type { Column } from '../../shared/table/columns.ts'
import type { MessageRow } from './message-rows.ts'
import { t } from './messages.texts.ts'

/** Columns of the list, or of looked-up IDs, which show the ID and the age of each answer. */
export function messageColumns(
  isList: boolean,
  rows: readonly MessageRow[],
  { nameOf, blockedOf }: ReturnType<typeof useKnownNumbers>,
): Column<MessageRow>[] {
  const price = alignedAmounts(rows.flatMap(({ record }) => record?.sellPrice ?? []))
  return [
    { id: 'chosen', title: t('columns.selected'), width: 20, untitled: true },
    { id: 'status', title: t('columns.status'), width: 136, status: ({ look }) => look },
    {
      id: 'to',
      title: t('columns.to'),
      width: 150,
      phone: ({ record }) => record?.to ?? null,
      blocked: ({ record }) => blockedOf(record?.to),
    },
    contactColumn(nameOf, ({ record }) => record?.to),
    isList
      ? {
          id: 'from',
          title: t('columns.from'),
          width: 136,
          hide: 4,
          phone: ({ record }) => record?.from ?? null,
        }
      : { id: 'id', title: t('columns.id'), width: 100, grow: 1, hint: ({ id }) => id, text: ({ id }) => id },
    {
      id: 'text',
      title: t('columns.text'),
      width: 90,
      grow: 2,
      text: textOf,
      hint: textOf,
      tone: ({ doubtful }) => (doubtful ? 'warn' : 'muted'),
    },
    {
      id: 'parts',
      title: t('columns.segments'),
      width: 64,
      numeric: true,
      hide: 5,
      text: ({ record }) => record?.partCount?.toString() ?? null,
    },
    {
      id: 'price',
      title: t('columns.price'),
      width: 72,
      numeric: true,
      hide: 5,
      text: ({ record }) => (typeof record?.sellPrice === 'number' ? price(record.sellPrice) : null),
      hint: ({ record }) =>
        typeof record?.sellPrice === 'number'
          ? t('facts.amount', { amount: price(record.sellPrice) })
          : undefined,
    },
    {
      id: 'created',
      title: t('columns.created'),
      width: 124,
      hide: 3,
      text: ({ record }) => (record?.createdAt ? formatTime(record.createdAt, 'day') : null),
      hint: ({ record }) => (record?.createdAt ? formatUtc(record.createdAt) : undefined),
    },
    ...(isList ? [] : [{ id: 'fetched', title: t('columns.fetched'), width: 150 }]),
  ]
}

const textOf = ({ says, record }: MessageRow): string => [says, record?.body].filter(Boolean).join(' ')
