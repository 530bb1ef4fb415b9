import type * as z from 'zod'
import type { ErrorCodeId, ErrorCodeRecord } from '../../../contract/domain.ts'
import { instant, reference, requiredText, text, recordOf } from './fields.ts'

/**
 * Spec, "Error code record". `code` may be a number; it is compared as text. Records are found by code, so the id is
 * optional.
 */
export const errorCodeWire: z.ZodType<ErrorCodeRecord> = recordOf({
  id: reference<ErrorCodeId>(),
  code: requiredText.refine((code) => code.trim() !== '', 'fault.empty'),
  description: text,
  category: text,
  resolution: text,
  created_at: instant,
})
