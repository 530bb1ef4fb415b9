import { ORPCError } from '@orpc/client'
import type { ErrorView } from '#contract/define.ts'
import { type ErrorCode, type ErrorData, errorTable, errorText } from '#contract/errors.ts'

/** Thrown for a call that had no answer because the way to the core broke or is not there. */
export class DisconnectedError extends Error {
  override readonly name = 'DisconnectedError'
}

/** The error as an operator reads it, for `code` of the table and the values that fill its sentence. */
export function errorView(code: ErrorCode, data: ErrorData = {}): ErrorView {
  return { code, text: errorText(code, data), retryable: errorTable[code].retryable, data }
}

/**
 * Any thrown value as the operator reads it. A code of the error table keeps its sentence and data; a refused
 * input becomes INVALID_INPUT with the fields' names; a broken way to the core becomes DISCONNECTED;
 * everything else becomes INTERNAL.
 */
export function toErrorView(cause: unknown): ErrorView {
  if (cause instanceof DisconnectedError) return errorView('DISCONNECTED')
  if (!(cause instanceof ORPCError)) return errorView('INTERNAL', { correlationId: 'window' })
  const data: unknown = cause.data
  if (isErrorCode(cause.code)) return errorView(cause.code, isRecord(data) ? plainValues(data) : {})
  if (cause.code === 'BAD_REQUEST') return errorView('INVALID_INPUT', { detail: issuesOf(data) })
  const correlationId = isRecord(data) ? data['correlationId'] : undefined
  return errorView('INTERNAL', {
    correlationId: typeof correlationId === 'string' ? correlationId : 'window',
  })
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function plainValues(data: Record<string, unknown>): ErrorData {
  const kept: ErrorData = {}
  for (const [name, value] of Object.entries(data)) {
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
      kept[name] = value as ErrorData[string]
    }
  }
  return kept
}

/** The fields that oRPC's input check complains about: `{ issues: [{ path, message }] }` (its RPC protocol). */
function issuesOf(data: unknown): string {
  const issues = isRecord(data) && Array.isArray(data['issues']) ? data['issues'] : []
  const described = issues.filter(isRecord).map((issue) => {
    const path = Array.isArray(issue['path']) ? issue['path'].map(String).join('.') : ''
    const message = typeof issue['message'] === 'string' ? issue['message'] : 'not valid'
    return path ? `${path}: ${message}` : message
  })
  return described.join('; ') || 'a field is not valid'
}

/** What came of a call: its value, or the error as an operator reads it. */
export type Attempt<T> = { ok: true; value: T } | { ok: false; error: ErrorView }

/** Waits for a call and never throws. */
export async function attempt<T>(call: Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await call }
  } catch (cause) {
    return { ok: false, error: toErrorView(cause) }
  }
}
