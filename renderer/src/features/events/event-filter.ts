import type { EventFilter } from '#contract/events.ts'

/** The filter as the page's address carries it: one text per name, absent where it does not filter. */
export type FilterQuery = Record<string, string>

const kinds = ['dlr', 'mo', 'quarantined'] as const

/** The address's form of a filter. What does not filter is left out, so the plain page has a plain address. */
export function filterToQuery(filter: EventFilter): FilterQuery {
  const query: FilterQuery = {}
  if (filter.kinds?.length) query['kind'] = filter.kinds.join(',')
  if (filter.statuses?.length) query['status'] = filter.statuses.join(',')
  if (filter.errorCodes?.length) query['code'] = filter.errorCodes.join(',')
  if (filter.number) query['number'] = filter.number
  if (filter.text) query['text'] = filter.text
  if (filter.from) query['from'] = filter.from
  if (filter.to) query['to'] = filter.to
  return query
}

/** The filter of an address, which anyone may have typed: what cannot be one is left out, lengths keep the contract's bounds. */
export function queryToFilter(query: Record<string, unknown>): EventFilter {
  const filter: EventFilter = {}
  const wantedKinds = words(query['kind']).filter((word) => kinds.includes(word as (typeof kinds)[number]))
  if (wantedKinds.length > 0) filter.kinds = wantedKinds as (typeof kinds)[number][]
  const statuses = words(query['status'])
    .filter((word) => word.length <= 64)
    .slice(0, 32)
  if (statuses.length > 0) filter.statuses = statuses
  const codes = parseErrorCodes(text(query['code']))
  if (codes.length > 0) filter.errorCodes = codes
  const number = text(query['number']).slice(0, 32)
  if (number) filter.number = number
  const search = text(query['text']).slice(0, 200)
  if (search) filter.text = search
  const from = isoOrNothing(query['from'])
  if (from) filter.from = from
  const to = isoOrNothing(query['to'])
  if (to) filter.to = to
  return filter
}

/** True when nothing is filtered. */
export function isEmptyFilter(filter: EventFilter): boolean {
  return Object.keys(filterToQuery(filter)).length === 0
}

/** The whole numbers in a typed list such as `1, 4 7`; anything else in it is passed over. */
export function parseErrorCodes(typed: string): number[] {
  const codes = typed
    .split(/[\s,;]+/)
    .filter((word) => /^-?\d{1,9}$/.test(word))
    .map(Number)
  return [...new Set(codes)].slice(0, 64)
}

/** The value of a `datetime-local` field for a point in time, in the operator's time zone, to the second. */
export function toLocalInput(iso: string | undefined): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return ''
  const date = new Date(iso)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

/** The point in time of a `datetime-local` field, or undefined when it is empty or no time. */
export function fromLocalInput(value: string): string | undefined {
  const timeMs = Date.parse(value)
  return value === '' || Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString()
}

function words(value: unknown): string[] {
  return [
    ...new Set(
      text(value)
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    ),
  ]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

function isoOrNothing(value: unknown): string | undefined {
  const timeMs = Date.parse(text(value))
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString()
}
