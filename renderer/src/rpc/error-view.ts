import { ORPCError } from '@orpc/client'
import type { ErrorView } from '#contract/define.ts'
import { type Acted, actedAfter, type ErrorCode, type ErrorData, isErrorCode } from '#contract/errors.ts'
import { isPhrase, type Phrase } from '#contract/phrases.ts'

/** Thrown for a call without an answer because the connection to the core broke or is missing. */
export class DisconnectedError extends Error {
  override readonly name = 'DisconnectedError'
}

/** The error as shown: `code` of the error table, and the values of its text. */
export const errorView = (
  code: ErrorCode,
  data: ErrorData = {},
  acted: Acted = actedAfter(code),
): ErrorView => ({
  code,
  acted,
  data,
})

/**
 * Any thrown value as an error to show. A code of the error table keeps its data; an invalid input becomes INVALID_INPUT with the names
 * of its fields; a lost connection to the core becomes DISCONNECTED; everything else becomes INTERNAL.
 */
export function toErrorView(cause: unknown): ErrorView {
  if (cause instanceof DisconnectedError) return errorView('DISCONNECTED')
  if (!(cause instanceof ORPCError)) return errorView('INTERNAL', { correlationId: 'window' })
  const data: unknown = cause.data
  if (isErrorCode(cause.code)) {
    const { acted, ...values } = isRecord(data) ? data : {}
    return errorView(cause.code, plainValues(values), acted === 'no' || acted === 'maybe' ? acted : undefined)
  }
  if (cause.code === 'BAD_REQUEST') return errorView('INVALID_INPUT', { detail: issueOf(data) })
  const correlationId = isRecord(data) ? data['correlationId'] : undefined
  return errorView('INTERNAL', {
    correlationId: typeof correlationId === 'string' ? correlationId : 'window',
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function plainValues(data: Record<string, unknown>): ErrorData {
  const kept: ErrorData = {}
  for (const [name, value] of Object.entries(data)) {
    if (value === null || isPhrase(value) || ['string', 'number', 'boolean'].includes(typeof value)) {
      kept[name] = value as ErrorData[string]
    }
  }
  return kept
}

/** The first field that oRPC’s input check names: `{ issues: [{ path, message }] }` (its RPC protocol). */
function issueOf(data: unknown): Phrase {
  const issues = isRecord(data) && Array.isArray(data['issues']) ? data['issues'] : []
  const path: unknown = issues.find(isRecord)?.['path']
  const where = Array.isArray(path) ? path.map(String).join('.') : ''
  return { key: 'fault.invalid', where: where || { key: 'kind.field' } }
}

/** The result of a call: its value, or the error to show. */
export type Attempt<T> = { ok: true; value: T } | { ok: false; error: ErrorView }

/** Waits for a call and never throws. */
export async function attempt<T>(call: Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await call }
  } catch (cause) {
    return { ok: false, error: toErrorView(cause) }
  }
}
