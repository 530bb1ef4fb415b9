import type { EventFilter } from '#contract/events.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

/** The fields of the filter, the typed ones as they were typed, understood or not. */
export interface FilterFields extends Omit<EventFilter, 'errorCodes'> {
  /** Error codes, parted by commas or spaces. */
  code?: string
}

/** Why a typed field cannot be understood, by field, in a few words. Empty when all can. */
export type FilterProblems = Partial<Record<'code' | 'number', string>>

/** The fields as the page's address carries them: one text per name, absent where it does not filter. */
export type FilterQuery = Record<string, string>

const kinds = ['dlr', 'mo', 'quarantined'] as const
/** Most characters of a number, characters of a text and codes that the contract lets through. */
const longestNumber = 32
const longestText = 200
const mostCodes = 64

/** The address's form of the fields. What does not filter is left out, so the plain page has a plain address. */
export function fieldsToQuery(fields: FilterFields): FilterQuery {
  const query: FilterQuery = {}
  if (fields.kinds?.length) query['kind'] = fields.kinds.join(',')
  if (fields.statuses?.length) query['status'] = fields.statuses.join(',')
  if (fields.code) query['code'] = fields.code
  if (fields.number) query['number'] = fields.number
  if (fields.text) query['text'] = fields.text
  if (fields.from) query['from'] = fields.from
  if (fields.to) query['to'] = fields.to
  return query
}

/** The fields of an address, which anyone may have typed: a word or time that cannot be one is left out. */
export function queryToFields(query: Record<string, unknown>): FilterFields {
  const fields: FilterFields = {}
  const wantedKinds = words(query['kind']).filter((word) => kinds.some((kind) => kind === word))
  if (wantedKinds.length > 0) fields.kinds = wantedKinds as (typeof kinds)[number][]
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
  const from = isoOrNothing(query['from'])
  if (from) fields.from = from
  const to = isoOrNothing(query['to'])
  if (to) fields.to = to
  return fields
}

/**
 * The filter that the fields mean. With a problem there is none: a filter that is not understood must neither be asked for
 * in part nor passed over, since the list would then show what nobody asked for.
 */
export function readFields(
  fields: FilterFields,
): { filter: EventFilter; problems: null } | { filter: null; problems: FilterProblems } {
  const { code = '', ...rest } = fields
  const read = readErrorCodes(code)
  const numberProblem = problemOfNumber(rest.number ?? '')
  if (read.problem !== null || numberProblem !== null) {
    return {
      filter: null,
      problems: {
        ...(read.problem === null ? {} : { code: read.problem }),
        ...(numberProblem === null ? {} : { number: numberProblem }),
      },
    }
  }
  return { filter: { ...rest, ...(read.codes.length > 0 ? { errorCodes: read.codes } : {}) }, problems: null }
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

/** Everything but digits is passed over in a number; `+` or `00` before them asks for numbers that begin with them. */
function problemOfNumber(typed: string): string | null {
  if (typed === '') return null
  if (typed.length > longestNumber) return `Longer than ${longestNumber} characters`
  const digits = typed.replace(/\D/g, '')
  if (digits === '') return `${quoted(typed)} has no digit`
  return digits === '00' ? `${quoted(typed)} needs the digits that follow` : null
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

function isoOrNothing(value: unknown): string | undefined {
  const timeMs = Date.parse(text(value))
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString()
}
