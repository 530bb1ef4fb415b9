/** Columns of the list, as in `shared/table/columns.ts`. The drawer has what a narrow list hides. */
export const eventColumns = [
  { id: 'received', width: 138 },
  { id: 'status', width: 136 },
  { id: 'number', width: 136 },
  { id: 'contact', width: 96, grow: 1, hide: 1 },
  { id: 'says', width: 90, grow: 4 },
  { id: 'latency', width: 72, hide: 4, numeric: true },
  { id: 'ownNumber', width: 140, hide: 5 },
  { id: 'messageId', width: 72, hide: 2 },
  { id: 'deliveries', width: 64, hide: 3, numeric: true },
] as const
export type EventColumn = (typeof eventColumns)[number]['id']
