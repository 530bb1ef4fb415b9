import * as z from 'zod'
import { text } from './fields.ts'

/** Any body, unless it has an `error` text and so contradicts its status. */
export const notAnError = z
  .unknown()
  .refine(
    (body) => !(body instanceof Object && 'error' in body && typeof body.error === 'string' && body.error),
    'reports an error although its status is a success',
  )

/** `{ message }` of calls that return no record, or anything else, or nothing: the status alone says that it was done. */
export const messageTextWire = notAnError.pipe(z.object({ message: text }).catch({ message: null }))
