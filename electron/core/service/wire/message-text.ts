import * as z from 'zod'
import { text } from './fields.ts'

function reportsError(body: unknown): boolean {
  if (!(body instanceof Object) || Array.isArray(body)) return false
  const { error, success, ok } = body as Record<string, unknown>
  return (typeof error === 'string' && error !== '') || success === false || ok === false
}

/** Any body, unless it has an `error` text or denies success, and so contradicts its status. */
export const notAnError = z.unknown().refine((body) => !reportsError(body), 'fault.reportsError')

/** `{ message }` of calls without a record, or any body or none: the status alone confirms it. */
export const messageTextWire = notAnError.pipe(z.object({ message: text }).catch({ message: null }))
