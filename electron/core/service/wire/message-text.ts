import * as z from 'zod'
import { text } from './fields.ts'

/** Any body, unless it has an `error` text and so contradicts its status. */
export const notAnError = z
  .unknown()
  .refine(
    (body) => !(body instanceof Object && 'error' in body && typeof body.error === 'string' && body.error),
    'fault.reportsError',
  )

/** `{ message }` of calls without a record, or any body or none: the status alone confirms it. */
export const messageTextWire = notAnError.pipe(z.object({ message: text }).catch({ message: null }))
