/** One log line. `createLog` has already redacted it. */
export interface LogEntry {
  level: 'debug' | 'info' | 'warn' | 'error'
  atMs: number
  /** The part that logs, e.g. `listener`. */
  scope: string
  message: string
  data?: Record<string, unknown>
}

export interface Log {
  debug(message: string, data?: Record<string, unknown>): void
  info(message: string, data?: Record<string, unknown>): void
  warn(message: string, data?: Record<string, unknown>): void
  error(message: string, data?: Record<string, unknown>): void
}

const secretName = /pass(word)?$|secret|token|api[-_]?key|authorization|cookie|signature/i
/** Bearer values and JWTs anywhere in a text. */
const secretText = /(Bearer\s+)\S+|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g
/** What may be a phone number: with a plus in any grouping, digits alone, an area code in brackets or with a zero. Not times and addresses. */
const phoneText =
  /(?:\+|%2B)[\d ()./-]{5,24}\d|(?<![\w.:%-])(?:\d{8,15}|\(\d{2,5}\)[ \d-]{5,}\d|0\d{1,5}[ /-][\d -]{4,}\d)(?![\w.:-])/gi

/** Keeps the first four characters and the last two. */
function maskPhone(text: string): string {
  const digits = text.replace(/^%2B/i, '').replaceAll(/\D/g, '').length
  return digits < 7 || digits > 15 ? text : `${text.slice(0, 4)}…${text.slice(-2)}`
}

const redactText = (text: string): string =>
  text
    .replace(secretText, (_match, bearer: string | undefined) => `${bearer ?? ''}[secret]`)
    .replace(phoneText, maskPhone)

const causesMax = 3

/** The stack, then those of its causes. A cause that is no error is dropped: it may be a request or a response. */
function redactError(error: Error, causes = 0): string {
  const text = redactText(error.stack ?? error.message)
  if (!(error.cause instanceof Error) || causes === causesMax) return text
  return `${text}\nCaused by: ${redactError(error.cause, causes + 1)}`
}

const depthMax = 6

/** A copy that is safe to log: secrets replaced, phone numbers masked, nesting cut after six levels. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value)
  if (value instanceof Error) return redactError(value)
  if (value === null || typeof value !== 'object') return value
  if (depth > depthMax) return '[…]'
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redact(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretName.test(key) && item !== null && item !== undefined && typeof item !== 'boolean'
        ? '[secret]'
        : redact(item, depth + 1),
    ]),
  )
}

/** A log for one part. Redacts here, so call sites can't forget it. */
export function createLog(
  write: (entry: LogEntry) => void,
  scope: string,
  now: () => number = Date.now,
): Log {
  const at =
    (level: LogEntry['level']) =>
    (message: string, data?: Record<string, unknown>): void =>
      write({
        level,
        atMs: now(),
        scope,
        message: redactText(message),
        ...(data === undefined ? {} : { data: redact(data) as Record<string, unknown> }),
      })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
