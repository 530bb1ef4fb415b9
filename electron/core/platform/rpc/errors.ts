import { isPhraseKey, type Phrase, type PhraseKey } from '../../../contract/phrases.ts'
import { ORPCError } from '@orpc/server'
import { ValidationError } from '@orpc/contract'
import { randomUUID } from 'node:crypto'
import type { ErrorView } from '../../../contract/define.ts'
import {
  actedAfter,
  AppError,
  type ErrorCode,
  type ErrorData,
  isErrorCode,
} from '../../../contract/errors.ts'
import { isDiskFull, mapSqliteError, storageErrorCode } from '../../../database/errors.ts'
import type { Log } from '../../../lib/log.ts'

export const viewOf = ({ code, acted, data }: AppError): ErrorView => ({ code, acted, data })

/** A stored error for the renderer. Its code may come from a newer version. */
export const viewOfStored = (problem: { code: string; data: ErrorData } | null): ErrorView | null =>
  problem && viewOf(new AppError(isErrorCode(problem.code) ? problem.code : 'INTERNAL', problem.data))

/** Converts anything thrown. Unknown errors become INTERNAL with a reference; the stack stays in the log. */
export function toAppError(error: unknown, log: Log): AppError {
  if (error instanceof AppError) return error
  if (isDiskFull(error) || storageErrorCode(error)?.startsWith('SQLITE_')) {
    log.error('Storage failed', { error })
    // It may have failed after a request, when its result was stored.
    return mapSqliteError(error, { file: 'a database' }).as({ acted: 'maybe' })
  }
  if (error instanceof ORPCError) {
    if (error.cause instanceof ValidationError && error.code === 'BAD_REQUEST') {
      return new AppError('INVALID_INPUT', { detail: issuePhrase(error.cause) }, { cause: error })
    }
    if (error.code === 'NOT_FOUND')
      return new AppError('NOT_FOUND', { what: { key: 'what.call' } }, { cause: error })
  }
  const correlationId = randomUUID().slice(0, 8)
  log.error('Unexpected error', { correlationId, error })
  return new AppError('INTERNAL', { correlationId }, { cause: error })
}

/** The error on the wire. Its cause never leaves the process. */
export function toWireError(error: unknown, log: Log): ORPCError<ErrorCode, unknown> {
  const appError = toAppError(error, log)
  const { code, acted, message } = appError
  const data = acted === actedAfter(code) ? appError.data : { ...appError.data, acted }
  return new ORPCError(code, { message, data, status: 500 })
}

function issuePhrase(error: ValidationError): Phrase {
  const first = error.issues[0]
  if (!first) return { key: 'fault.missing', where: { key: 'kind.value' } }
  const path = (first.path ?? [])
    .map((part) => (typeof part === 'object' ? String(part.key) : String(part)))
    .join('.')
  return { key: faultKeyOf(first.message), where: path === '' ? { key: 'kind.value' } : path }
}

/** Our schemas name a phrase. The library's own messages are replaced. */
function faultKeyOf(message: string): PhraseKey {
  if (isPhraseKey(message)) return message
  if (/^Too (big|small)/.test(message))
    return message.startsWith('Too big') ? 'fault.tooLong' : 'fault.tooShort'
  return /received undefined/.test(message) ? 'fault.missing' : 'fault.invalid'
}
