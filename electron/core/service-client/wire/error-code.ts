import * as z from 'zod'
import type { ErrorCodeId, ErrorCodeRecord } from '../../../contract/domain.ts'
import { id, instant, requiredText, text } from './fields.ts'

/** Spec, "Error code record". `code` may come as a number; it is compared as text everywhere. */
export const errorCodeWire = z
  .object({
    id: id<ErrorCodeId>(),
    code: requiredText,
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
