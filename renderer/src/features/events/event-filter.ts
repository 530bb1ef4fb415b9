import type { EventFilter } from '#contract/events.ts'
import { hasCountry, isNumberLike } from '#contract/number-text.ts'
import { numberSample } from '../../shared/filters/number-words.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

/** The fields of the filter, the typed ones as they were typed, understood or not. */
export interface FilterFields extends Omit<EventFilter, 'errorCodes' | 'region'> {
  /** Error codes, parted by commas or spaces. */
  code?: string
  /** What the address says of these and is none: kept until it is corrected or cleared. */
  unread?: Partial<Record<'kinds' | 'from' | 'to', string>>
}

/** Why a field cannot be understood, by field, in a few words. Empty when all can. */
export type FilterProblems = Partial<Record<'code' | 'number' | 'kinds' | 'from' | 'to', string>>

/** The fields as the page's address carries them: one text per name, absent where it does not filter. */
export type FilterQuery = Record<string, string>

const kinds = ['dlr', 'mo', 'quarantined'] as const
/** Most characters of a number, characters of a text and codes that the contract lets through. */
export const longestNumber = 64
const longestText = 200
const mostCodes = 64

/** The address's form of the fields. What does not filter is left out, so the plain page has a plain address. */
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

/** The fields of an address, which anyone may have typed: what is no kind and no time stands in `unread`. */
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
 * The filter that the fields mean. With a problem there is none: a filter that is not understood must neither be asked for
 * in part nor passed over, since the list would then show what nobody asked for. A number without its country is also read as dialled in
 * `region`.
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
    ...(unread.kinds === undefined ? {} : { kinds: `${quoted(unread.kinds)} is no kind of event` }),
    ...(unread.from === undefined ? {} : { from: `${quoted(unread.from)} is no time` }),
    ...(unread.to === undefined ? {} : { to: `${quoted(unread.to)} is no time` }),
  }
  if (read.problem !== null || Object.keys(problems).length > 0) return { filter: null, problems }
  const { number = '' } = rest
  const asDialled = region !== undefined && number !== '' && !hasCountry(number)
  return {
    filter: {
      ...rest,
      ...(asDialled ? { region } : {}),
      ...(read.codes.length > 0 ? { errorCodes: read.codes } : {}),
    },
    problems: null,
  }
}

/** True when nothing is filtered. */
export function isEmptyFilter(fields: FilterFields): boolean {
  return Object.keys(fieldsToQuery(fields)).length === 0
}

/** The whole numbers of a typed list such as `1, 4 7`, or why it is none. */
export function readErrorCodes(
  typed: string,
): { codes: number[]; problem: null } | { codes: null; problem: string } {
  const parts = typed.split(/[\s,;]+/).filter((part) => part !== '')
  const broken = parts.find((part) => !/^[-+]?\d+$/.test(part))
  if (broken !== undefined) return { codes: null, problem: `${quoted(broken)} is not a whole number` }
  const large = parts.find((part) => !Number.isSafeInteger(Number(part)))
  if (large !== undefined) return { codes: null, problem: `${quoted(large)} is out of range` }
  const codes = [...new Set(parts.map((part) => Number(part) + 0))]
  if (codes.length > mostCodes) return { codes: null, problem: `More than ${mostCodes} codes` }
  return { codes, problem: null }
}

/** What people put between digits is passed over in a number; `+` or `00` before them asks for numbers that begin with them. */
function problemOfNumber(typed: string): string | null {
  if (typed === '') return null
  if (typed.length > longestNumber) return `Longer than ${longestNumber} characters`
  const digits = typed.replace(/\D/g, '')
  if (digits === '') return `${quoted(typed)} has no digit`
  if (digits === '00') return `${quoted(typed)} needs the digits that follow`
  return isNumberLike(typed)
    ? null
    : `${quoted(typed)} holds more than a number has: write its digits, such as ${numberSample}`
}

/** What was typed, short and without effect, for a sentence about it. */
function quoted(typed: string): string {
  return `“${visibleText(typed.length > 20 ? `${typed.slice(0, 20)}…` : typed)}”`
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

function isKind(word: string): word is (typeof kinds)[number] {
  return kinds.some((kind) => kind === word)
}

function partition<T, S extends T>(list: readonly T[], is: (item: T) => item is S): [S[], T[]] {
  return [list.filter(is), list.filter((item) => !is(item))]
}

function isoOrNothing(typed: string): string | undefined {
  const timeMs = Date.parse(typed)
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString()
}
