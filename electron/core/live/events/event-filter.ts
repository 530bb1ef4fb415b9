import type { EventFilter } from '../../../contract/live/events.ts'
import { containsFolded } from '../../../database/text-functions.ts'
import { readTime } from './read-time.ts'
import { readTypedNumber } from './typed-number.ts'

/** A filter as SQL over `events`, for history and new arrivals alike. */
export interface CompiledFilter {
  /** The same for equivalent filters. */
  key: string
  /** `INDEXED BY …` or `NOT INDEXED`: without statistics, the planner would guess. */
  access: string
  /** Terms joined by AND, each starting with ` AND `; empty without a filter. */
  terms: string
  params: (string | number)[]
  /** True when every event passes. */
  passesAll: boolean
  /** Bounds of the arrival in milliseconds, [from, to). */
  fromMs: number | null
  toMs: number | null
}

const sorted = <T>(items: readonly T[] | undefined): T[] => [...new Set(items ?? [])].sort()
const places = (items: readonly unknown[]) => items.map(() => '?').join(', ')
// eslint-disable-next-line no-control-regex -- the range is all of ASCII
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)

/** Turns a filter into SQL. An empty list filters nothing. Throws `INVALID_INPUT` for an invalid time. */
export function compileFilter(filter: EventFilter): CompiledFilter {
  const kinds = sorted(filter.kinds)
  const statuses = sorted(filter.statuses)
  const errorCodes = sorted(filter.errorCodes)
  const typedNumber = filter.number?.trim() ?? ''
  const number = readTypedNumber(typedNumber, filter.region)
  const text = filter.text ?? ''
  const lowerText = text.toLowerCase()
  const fromMs = filter.from === undefined ? null : readTime('from', filter.from)
  const toMs = filter.to === undefined ? null : readTime('to', filter.to)

  let access = 'NOT INDEXED'
  const terms: string[] = []
  const params: (string | number)[] = []
  const must = (sql: string, ...values: (string | number)[]) => {
    terms.push(` AND ${sql}`)
    params.push(...values)
  }

  if (kinds.length > 0 && kinds.length < 3) {
    must(`kind IN (${places(kinds)})`, ...kinds)
    if (!kinds.includes('dlr')) {
      must(`kind <> 'dlr'`)
      access = 'INDEXED BY events_not_dlr'
    }
  }
  if (statuses.length > 0) {
    must(`status IN (${places(statuses)})`, ...statuses)
    access = 'INDEXED BY events_by_status'
  }
  if (errorCodes.length > 0) {
    must(`error_code IN (${places(errorCodes)})`, ...errorCodes)
    access = 'INDEXED BY events_by_error'
  }
  if (number.length > 0) {
    const one = number.map(({ atStart, isWhole }) =>
      isWhole
        ? `instr(' ' || digits || ' ', ?) > 0`
        : atStart
          ? `instr(' ' || digits, ?) > 0`
          : 'instr(digits, ?) > 0',
    )
    const sought = number.map(({ digits, atStart, isWhole }) =>
      isWhole ? ` ${digits} ` : atStart ? ` ${digits}` : digits,
    )
    must(`(${one.join(' OR ')})`, ...sought)
  } else if (typedNumber !== '') must('seq < ?', 0)
  if (text !== '')
    must(
      isAscii(text)
        ? '(instr(lower(message_id), ?) > 0 OR instr(lower(content), ?) > 0)'
        : `(${containsFolded}(message_id, ?) OR ${containsFolded}(content, ?))`,
      lowerText,
      lowerText,
    )
  if (fromMs !== null) must('received_ms >= ?', fromMs)
  if (toMs !== null) must('received_ms < ?', toMs)

  return {
    key: JSON.stringify([
      kinds,
      statuses,
      errorCodes,
      typedNumber === '' ? null : number,
      lowerText,
      fromMs,
      toMs,
    ]),
    access,
    terms: terms.join(''),
    params,
    passesAll: terms.length === 0,
    fromMs,
    toMs,
  }
}
