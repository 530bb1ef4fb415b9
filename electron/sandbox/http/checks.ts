import { badRequest } from './reply.ts'

/** A JSON object in a request. */
export type Fields = Record<string, unknown>

/** The spec shows no limit. */
export const textCap = 10_000
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Numbers of each object as the request writes them: JSON has no other way to say 12.50. */
const writtenNumbers = new WeakMap<object, Map<string, string>>()

/** A number of a request's object as written, such as `12.50`. */
export const writtenNumber = (holder: object, name: string): string | undefined =>
  writtenNumbers.get(holder)?.get(name)

function parseJson(text: string): unknown {
  // TypeScript doesn't know the third parameter yet.
  function keep(this: object, name: string, value: unknown, context?: { source?: string }): unknown {
    if (typeof value === 'number' && context?.source !== undefined) {
      const written = writtenNumbers.get(this) ?? new Map<string, string>()
      writtenNumbers.set(this, written.set(name, context.source))
    }
    return value
  }
  return JSON.parse(text, keep)
}

/** Reads a JSON object sent as `application/json`. Throws HttpError 400. */
export function readJsonObject(contentType: string | undefined, body: Buffer): Fields {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const plain = parameters.every((parameter) => /^\s*charset="?utf-8"?\s*$/.test(parameter))
  if (type!.trim() !== 'application/json' || !plain) throw badRequest('Content-Type must be application/json')
  let value: unknown
  try {
    value = parseJson(utf8.decode(body))
  } catch {
    throw badRequest('the body is not valid JSON')
  }
  if (!isObject(value)) throw badRequest('the body must be a JSON object')
  return value
}

export function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Throws HttpError 400 for unknown fields. */
export function onlyFields(fields: Fields, allowed: readonly string[]): void {
  for (const name of Object.keys(fields))
    if (!allowed.includes(name)) throw badRequest(`unknown field: ${name.slice(0, 60)}`)
}

/** A required, non-blank string. */
export function text(fields: Fields, name: string): string {
  const value = fields[name]
  if (value === undefined) throw badRequest(`${name} is required`)
  if (typeof value !== 'string') throw badRequest(`${name} must be a string`)
  if (value.trim() === '') throw badRequest(`${name} must not be empty`)
  if (value.length > textCap) throw badRequest(`${name} is too long`)
  return value
}

/** A non-blank string, or undefined when absent. */
export function optionalText(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined ? undefined : text(fields, name)
}

/** E.164: a plus, then 7 to 15 digits, the first not 0. */
const phonePattern = /^\+[1-9]\d{6,14}$/

/** Returns the number. Throws HttpError 400 unless it is in international format. */
export function checkPhone(value: string, name: string): string {
  if (!phonePattern.test(value))
    throw badRequest(`${name} must be a number in international format, such as +4915112345678`)
  return value
}

/** RFC 5321, 4.5.3.1.3, less the angle brackets. */
const emailCap = 254

/** Returns the address. Throws HttpError 400 unless it looks like one. */
export function checkEmail(value: string, name: string): string {
  if (value.length > emailCap || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value))
    throw badRequest(`${name} must be an email address`)
  return value
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** UUIDs in lower case: case has no meaning (RFC 9562, 4). */
export function toId(value: string): string {
  return uuidPattern.test(value) ? value.toLowerCase() : value
}

/** A required UUID, in lower case. */
export function uuid(fields: Fields, name: string): string {
  const value = text(fields, name)
  if (!uuidPattern.test(value)) throw badRequest(`${name} must be a UUID`)
  return toId(value)
}

/** An object; absent counts as empty. */
export function optionalObject(fields: Fields, name: string): Fields {
  const value = fields[name]
  if (value === undefined) return {}
  if (!isObject(value)) throw badRequest(`${name} must be an object`)
  return value
}

/** An object of strings; absent counts as empty. */
export function stringMap(fields: Fields, name: string): Record<string, string> {
  const value = optionalObject(fields, name)
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'string') throw badRequest(`${name}.${key.slice(0, 60)} must be a string`)
    if (key.length > textCap || item.length > textCap)
      throw badRequest(`${name}.${key.slice(0, 60)} is too long`)
  }
  return value as Record<string, string>
}

/** A query parameter, or undefined. Throws HttpError 400 when given twice. */
export function queryText(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) throw badRequest(`${name} is given more than once`)
  return values[0]
}

/** A non-blank query parameter. Throws HttpError 400 when missing or given twice. */
export function requiredQuery(query: URLSearchParams, name: string): string {
  const value = queryText(query, name)
  if (value === undefined || value.trim() === '') throw badRequest(`${name} is required`)
  return value
}

export interface Page {
  page: number
  perPage: number
  /** Records before the page. */
  offset: number
}

function integerFrom1(query: URLSearchParams, name: string, fallback: number, most: number): number {
  const value = queryText(query, name)
  if (value === undefined) return fallback
  const number = /^-?\d+$/.test(value) ? Number(value) : NaN
  if (!(number >= 1 && number <= most)) throw badRequest(`${name} must be an integer from 1 to ${most}`)
  return number
}

/** `page` from 1 (default 1) and `per_page` from 1 to 100 (default 20). Throws HttpError 400. */
export function readPage(query: URLSearchParams): Page {
  const page = integerFrom1(query, 'page', 1, Number.MAX_SAFE_INTEGER)
  const perPage = integerFrom1(query, 'per_page', 20, 100)
  return { page, perPage, offset: (page - 1) * perPage }
}

/** The pagination envelope over items in memory. */
export function paginate<T, R>(items: readonly T[], at: Page, toRecord: (item: T) => R) {
  return {
    data: items.slice(at.offset, at.offset + at.perPage).map(toRecord),
    total: items.length,
    page: at.page,
    per_page: at.perPage,
  }
}

const dayMs = 86_400_000
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

function readTime(value: string, name: string, endOfDay: boolean): number {
  const isDate = datePattern.test(value)
  if (!isDate && !timePattern.test(value)) throw badRequest(`${name} must be YYYY-MM-DD or an ISO 8601 time`)
  const atMs = Date.parse(value)
  if (Number.isNaN(atMs)) throw badRequest(`${name} is not a date`)
  // Date.parse reads 31 February as a day of March.
  if (new Date(`${value.slice(0, 10)}T00:00:00Z`).toISOString().slice(0, 10) !== value.slice(0, 10))
    throw badRequest(`${name} is not a date`)
  return isDate && endOfDay ? atMs + dayMs : atMs
}

/** `start_date` and `end_date`, both required: UTC days (the last included) or exact times (the end excluded). */
export function readSpan(query: URLSearchParams): { fromMs: number; toMs: number } {
  const fromMs = readTime(requiredQuery(query, 'start_date'), 'start_date', false)
  const toMs = readTime(requiredQuery(query, 'end_date'), 'end_date', true)
  if (toMs <= fromMs) throw badRequest('end_date must not be before start_date')
  return { fromMs, toMs }
}
