import type { EventFilter } from '#contract/live/events.ts'
import { isNumberLike } from '#contract/number-text.ts'
import { numberSample } from '../../shared/filters/number-words.ts'
import { t } from './events.texts.ts'

/** The fields of the filter, as typed, valid or not. */
export interface FilterFields extends Omit<EventFilter, 'errorCodes' | 'region'> {
  /** Error codes, separated by commas or spaces. */
  code?: string
  /** Invalid values of the address: kept until corrected or cleared. */
  unread?: Partial<Record<'kinds' | 'from' | 'to', string>>
}

export type FilterProblems = Partial<Record<'code' | 'number' | 'kinds' | 'from' | 'to', string>>

/** The fields in the page's address: one text per name, absent where it doesn't filter. */
type FilterQuery = Record<string, string>

const kinds = ['dlr', 'mo', 'quarantined'] as const
/** The contract's limits: characters of a number, characters of a text, codes. */
export const longestNumber = 64
const longestText = 200
const mostCodes = 64

/** The fields as an address query, without empty ones. */
export function fieldsToQuery(fields: FilterFields): FilterQuery {
  const query: FilterQuery = {}
  const { unread = {} } = fields
  const kindWords = [...(fields.kinds ?? []), ...(unread.kinds === undefined ? [] : [unread.kinds])]
  if (kindWords.length > 0) query['kind'] = kindWords.join(',')
  if (fields.statuses?.length) query['status'] = fields.statuses.join(',')
  if (fields.code) query['code'] = fields.code
  if (fields.number) query['number'] = fields.number
  if (fields.text) query['text'] = fields.text
  const from = fields.from ?? unread.from
  if (from) query['from'] = from
  const to = fields.to ?? unread.to
  if (to) query['to'] = to
  return query
}

/** The fields of an address, which may be typed by hand: invalid types and times go to `unread`. */
export function queryToFields(query: Record<string, unknown>): FilterFields {
  const fields: FilterFields = {}
  const unread: NonNullable<FilterFields['unread']> = {}
  const [known, strange] = partition(words(query['kind']), isKind)
  if (known.length > 0) fields.kinds = known
  if (strange.length > 0) unread.kinds = strange.join(',')
  const statuses = words(query['status'])
    .filter((word) => word.length <= 64)
    .slice(0, 32)
  if (statuses.length > 0) fields.statuses = statuses
  const code = text(query['code'])
  if (code) fields.code = code
  const number = text(query['number'])
  if (number) fields.number = number
  const search = text(query['text']).slice(0, longestText)
  if (search) fields.text = search
  for (const end of ['from', 'to'] as const) {
    const typed = text(query[end])
    const iso = isoOrNothing(typed)
    if (iso) fields[end] = iso
    else if (typed !== '') unread[end] = typed
  }
  if (Object.keys(unread).length > 0) fields.unread = unread
  return fields
}

/**
 * The filter of the fields, or their problems: an invalid filter is never applied in part. A number is also read as
 * dialled in `region`.
 */
export function readFields(
  fields: FilterFields,
  region?: string,
): { filter: EventFilter; problems: null } | { filter: null; problems: FilterProblems } {
  const { code = '', unread = {}, ...rest } = fields
  const read = readErrorCodes(code)
  const numberProblem = problemOfNumber(rest.number ?? '')
  const problems: FilterProblems = {
    ...(read.problem === null ? {} : { code: read.problem }),
    ...(numberProblem === null ? {} : { number: numberProblem }),
    ...(unread.kinds === undefined ? {} : { kinds: t('problems.kind', { value: quoted(unread.kinds) }) }),
    ...(unread.from === undefined ? {} : { from: t('problems.time', { value: quoted(unread.from) }) }),
    ...(unread.to === undefined ? {} : { to: t('problems.time', { value: quoted(unread.to) }) }),
  }
  if (read.problem !== null || Object.keys(problems).length > 0) return { filter: null, problems }
  const { number = '' } = rest
  const isRead = region !== undefined && number !== ''
  return {
    filter: {
      ...rest,
      ...(isRead ? { region } : {}),
      ...(read.codes.length > 0 ? { errorCodes: read.codes } : {}),
    },
    problems: null,
  }
}

export function isEmptyFilter(fields: FilterFields): boolean {
  return Object.keys(fieldsToQuery(fields)).length === 0
}

/** The whole numbers of a typed list such as `1, 4 7`, or its problem. */
export function readErrorCodes(
  typed: string,
): { codes: number[]; problem: null } | { codes: null; problem: string } {
  const parts = typed.split(/[\s,;]+/).filter((part) => part !== '')
  const broken = parts.find((part) => !/^[-+]?\d+$/.test(part))
  if (broken !== undefined) return { codes: null, problem: t('problems.integer', { value: quoted(broken) }) }
  const large = parts.find((part) => !Number.isSafeInteger(Number(part)))
  if (large !== undefined) return { codes: null, problem: t('problems.range', { value: quoted(large) }) }
  const codes = [...new Set(parts.map(Number))]
  if (codes.length > mostCodes) return { codes: null, problem: t('problems.codes', { n: mostCodes }) }
  return { codes, problem: null }
}

/** Separators between digits are ignored; a leading `+` or `00` matches the start of a number. */
function problemOfNumber(typed: string): string | null {
  if (typed === '') return null
  if (typed.length > longestNumber) return t('problems.long', { n: longestNumber })
  const digits = typed.replace(/\D/g, '')
  if (digits === '') return t('problems.noDigits', { value: quoted(typed) })
  if (digits === '00') return t('problems.short', { value: quoted(typed) })
  return isNumberLike(typed) ? null : t('problems.number', { value: quoted(typed), sample: numberSample })
}

const quoted = (typed: string): string =>
  t('problems.quoted', { text: typed.length > 20 ? `${typed.slice(0, 20)}…` : typed })

/** The time in a `datetime-local` field, or undefined when empty or invalid. */
export const fromLocalInput = isoOrNothing

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

function isKind(word: string): word is (typeof kinds)[number] {
  return kinds.some((kind) => kind === word)
}

function partition<T, S extends T>(list: readonly T[], is: (item: T) => item is S): [S[], T[]] {
  return [list.filter(is), list.filter((item) => !is(item))]
}

/** `Date.parse` alone takes almost any number for a date. */
const isoPattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

function isoOrNothing(typed: string): string | undefined {
  const timeMs = isoPattern.test(typed) ? Date.parse(typed) : NaN
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString()
}
