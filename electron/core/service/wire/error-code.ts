import * as z from 'zod'
import type { ErrorCodeId, ErrorCodeRecord } from '../../../contract/domain.ts'
import { instant, reference, requiredText, text } from './fields.ts'

/**
 * Spec, "Error code record". `code` may be a number; it is compared as text. Records are found by code, so the id is
 * optional.
 */
export const errorCodeWire = z
  .object({
    id: reference<ErrorCodeId>(),
    code: requiredText.refine((code) => code.trim() !== '', 'fault.empty'),
    description: text,
    category: text,
    resolution: text,
    created_at: instant,
  })
  .transform((wire): ErrorCodeRecord => ({
    id: wire.id,
    code: wire.code,
    description: wire.description,
    category: wire.category,
    resolution: wire.resolution,
    createdAt: wire.created_at,
  }))
