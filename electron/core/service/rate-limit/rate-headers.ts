/** The limit headers of one response. Null when missing or implausible. */
export interface RateReading {
  limitPerMinute: number | null
  remaining: number | null
  /** End of the window, monotonic milliseconds; at most 120 s ahead, never in the past. */
  resetAtMs: number | null
  /** From Retry-After, milliseconds. */
  retryAfterMs: number | null
}

/** Longest wait a header may ask for. Windows last a minute; more is clock skew or a mistake. */
const maxResetMs = 120_000
/** Reset in whole seconds may be rounded down: the window ends up to this much later. */
const secondsSlackMs = 1_000
/** A reset this recently past is rounding; an older one is ignored. */
const pastToleranceMs = 2_000

/** Times of a request and its response, milliseconds: monotonic and wall clock. */
export interface Exchange {
  sentAtMs: number
  answeredAtMs: number
  answeredAtWallMs: number
}

const wholeNumber = (text: string | null) =>
  text !== null && /^\s*\d{1,9}(\.0+)?\s*$/.test(text) ? Math.round(Number(text)) : null

/**
 * Reads the limit headers (spec, Limits). Reset may be Unix seconds, Unix milliseconds, seconds from now or a date.
 * Absolute times are corrected by the server's clock, learned from Date headers.
 */
export function createRateHeaderReader(): (headers: Pick<Headers, 'get'>, exchange: Exchange) => RateReading {
  /** Bounds of (server wall clock − our monotonic clock). A Date has whole seconds; many narrow it down. */
  let low = -Infinity
  let high = Infinity

  function learn(dateMs: number, { sentAtMs, answeredAtMs }: Exchange): void {
    const newLow = dateMs - answeredAtMs
    const newHigh = dateMs + 1_000 - sentAtMs
    low = Math.max(low, newLow)
    high = Math.min(high, newHigh)
    if (low > high) [low, high] = [newLow, newHigh]
  }

  function absoluteToMonotonic(serverMs: number, exchange: Exchange): number {
    const offset = low === -Infinity ? exchange.answeredAtWallMs - exchange.answeredAtMs : (low + high) / 2
    return serverMs - offset
  }

  function resetAt(text: string | null, exchange: Exchange): number | null {
    if (text === null || text.trim() === '') return null
    const number = Number(text)
    const at = Number.isNaN(number)
      ? absoluteToMonotonic(Date.parse(text) + secondsSlackMs, exchange)
      : number >= 1e11
        ? absoluteToMonotonic(number, exchange)
        : number >= 1e8
          ? absoluteToMonotonic(number * 1_000 + secondsSlackMs, exchange)
          : exchange.answeredAtMs + number * 1_000 + secondsSlackMs
    if (!Number.isFinite(at) || number < 0 || at < exchange.answeredAtMs - pastToleranceMs) return null
    return Math.min(Math.max(at, exchange.answeredAtMs), exchange.answeredAtMs + maxResetMs)
  }

  function retryAfter(text: string | null, exchange: Exchange): number | null {
    if (text === null || text.trim() === '') return null
    const seconds = Number(text)
    const ms = Number.isNaN(seconds)
      ? absoluteToMonotonic(Date.parse(text), exchange) - exchange.answeredAtMs
      : seconds * 1_000
    return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, maxResetMs) : null
  }

  return (headers, exchange) => {
    const dateMs = Date.parse(headers.get('date') ?? '')
    if (!Number.isNaN(dateMs)) learn(dateMs, exchange)
    const limit = wholeNumber(headers.get('x-ratelimit-limit'))
    return {
      limitPerMinute: limit !== null && limit > 0 ? limit : null,
      remaining: wholeNumber(headers.get('x-ratelimit-remaining')),
      resetAtMs: resetAt(headers.get('x-ratelimit-reset'), exchange),
      retryAfterMs: retryAfter(headers.get('retry-after'), exchange),
    }
  }
}
