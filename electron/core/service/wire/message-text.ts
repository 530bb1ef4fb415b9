import * as z from 'zod'
import { knownStatus, text } from './fields.ts'

/** False, zero and empty say that there is none. */
const isSaid = (fault: unknown) => (fault instanceof Object ? Object.keys(fault).length > 0 : Boolean(fault))

export function reportsError(body: unknown): boolean {
  if (!(body instanceof Object) || Array.isArray(body)) return false
  const { error, errors, success, ok, status } = body as Record<string, unknown>
  return isSaid(error) || isSaid(errors) || success === false || ok === false || status === 'error'
}

/** Any body, unless it names an error or denies success, and so contradicts its status. */
export const notAnError = z.unknown().refine((body) => !reportsError(body), 'fault.reportsError')

/** As `notAnError`, but a message's own status may say how it failed. */
export const notAnErrorOfMessage = z
  .unknown()
  .refine((body) => !reportsError(body) || hasFailed(body as { status?: unknown }), 'fault.reportsError')

const failures: ReadonlySet<unknown> = new Set(['failed', 'rejected', 'expired'])
const hasFailed = ({ status }: { status?: unknown }) =>
  typeof status === 'string' && failures.has(knownStatus(status))

/** `{ message }` of calls without a record, or any body or none: the status alone confirms it. */
export const messageTextWire = notAnError.pipe(z.object({ message: text }).catch({ message: null }))
