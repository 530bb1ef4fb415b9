import { ORPCError } from '@orpc/server'
import { ValidationError } from '@orpc/contract'
import { randomUUID } from 'node:crypto'
import type { ErrorView } from '../../../contract/define.ts'
import { AppError, type ErrorCode, errorTable } from '../../../contract/errors.ts'
import { mapSqliteError, storageErrorCode } from '../../../database/errors.ts'
import type { Log } from '../../../lib/log.ts'

/** An error for the renderer. */
export function viewOf(error: AppError): ErrorView {
  return {
    code: error.code,
    text: error.message,
    retryable: errorTable[error.code].retryable,
    data: error.retryAfterMs === undefined ? error.data : { ...error.data, retryAfterMs: error.retryAfterMs },
  }
}

/** Converts anything thrown. Unknown errors become INTERNAL with a reference; the stack stays in the log. */
export function toAppError(error: unknown, log: Log): AppError {
  if (error instanceof AppError) return error
  if (storageErrorCode(error)?.startsWith('SQLITE_')) {
    log.error('a database failed', { error })
    return mapSqliteError(error, { file: 'a database' })
  }
  if (error instanceof ORPCError) {
    if (error.cause instanceof ValidationError && error.code === 'BAD_REQUEST') {
      return new AppError('INVALID_INPUT', { detail: issueText(error.cause) }, { cause: error })
    }
    if (error.code === 'NOT_FOUND') return new AppError('NOT_FOUND', { what: 'This call' }, { cause: error })
  }
  const correlationId = randomUUID().slice(0, 8)
  log.error('unexpected error', { correlationId, error })
  return new AppError('INTERNAL', { correlationId }, { cause: error })
}

/** The error on the wire. Its cause never leaves the process. */
export function toWireError(error: unknown, log: Log): ORPCError<ErrorCode, unknown> {
  const appError = toAppError(error, log)
  const { code, text, data } = viewOf(appError)
  return new ORPCError(code as ErrorCode, { message: text, data, status: 500 })
}

function issueText(error: ValidationError): string {
  const first = error.issues[0]
  if (!first) return 'a value is missing'
  const path = (first.path ?? [])
    .map((part) => (typeof part === 'object' ? String(part.key) : String(part)))
    .join('.')
  return `${path === '' ? 'it' : path} ${faultText(first.message)}`
}

/** Our schemas word an issue as the end of a sentence. The library's own messages are shortened to that form. */
function faultText(message: string): string {
  if (/^Too (big|small)/.test(message)) return message.startsWith('Too big') ? 'is too long' : 'is too short'
  if (/received undefined/.test(message)) return 'is missing'
  return message.startsWith('Invalid') ? 'is not valid' : message
}
