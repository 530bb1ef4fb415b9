import { formatTime, formatUtc } from '../../shared/format/time.ts'
import type { Column } from '../../shared/table/columns.ts'
import type { MessageRow } from './message-rows.ts'

/** Columns of the service's list, or of ids that were looked up: those show their id and the age of each answer. */
export const columnsOf = (isList: boolean): Column<MessageRow>[] => [
  { id: 'chosen', title: 'Selected', width: 20, untitled: true },
  { id: 'status', title: 'Status', width: 112 },
  { id: 'to', title: 'To', width: 124, text: ({ record }) => record?.to ?? null },
  ...(isList
    ? [
        {
          id: 'from',
          title: 'From',
          width: 120,
          hide: 2,
          text: ({ record }: MessageRow) => record?.from ?? null,
        },
      ]
    : [
        {
          id: 'id',
          title: 'ID',
          width: 100,
          grow: 1,
          hint: ({ id }: MessageRow) => id,
          text: ({ id }: MessageRow) => id,
        },
      ]),
  {
    id: 'text',
    title: 'Text',
    width: 90,
    grow: 2,
    text: textOf,
    hint: textOf,
    tone: ({ doubtful }) => (doubtful ? 'warn' : 'muted'),
  },
  {
    id: 'parts',
    title: 'Segments',
    width: 64,
    numeric: true,
    hide: 3,
    text: ({ record }) => String(record?.partCount ?? '–'),
  },
  {
    id: 'price',
    title: 'Price',
    width: 72,
    numeric: true,
    hide: 3,
    text: ({ record }) => String(record?.sellPrice ?? '–'),
  },
  {
    id: 'created',
    title: 'Created',
    width: 124,
    hide: 1,
    text: ({ record }) => (record?.createdAt ? formatTime(record.createdAt, 'day') : null),
    hint: ({ record }) => (record?.createdAt ? formatUtc(record.createdAt) : undefined),
  },
  ...(isList ? [] : [{ id: 'fetched', title: 'Fetched', width: 150 }]),
]
function textOf({ says, record }: MessageRow): string {
  return [says, record?.body].filter(Boolean).join(' ')
}
