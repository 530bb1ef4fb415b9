import * as z from 'zod'
import type { DncEntry, DncEntryId, TenantId } from '../../../contract/domain.ts'
import { instant, reference, requiredText, text } from './fields.ts'

const fields = {
  tenant_id: reference<TenantId>(),
  phone_number: requiredText,
  reason: text,
  created_at: instant,
}

const toDomain = (wire: {
  id: DncEntryId | null
  tenant_id: TenantId | null
  phone_number: string
  reason: string | null
  created_at: string | null
}): DncEntry => ({
  id: wire.id,
  tenantId: wire.tenant_id,
  phoneNumber: wire.phone_number,
  reason: wire.reason,
  createdAt: wire.created_at,
})

/**
 * Spec, "DNC entry". The number is required: an entry without it would block nobody and nobody would see that. One without an id
 * blocks all the same.
 */
export const dncEntryWire = z.object({ ...fields, id: reference<DncEntryId>() }).transform(toDomain)

/**
 * The answer of GET /dnc/check. What `entry` holds for a number that is not blocked is not shown: null, a missing field,
 * `{}` and anything else that is no entry are all read as none.
 */
export const dncCheckWire = z
  .object({ is_blocked: z.boolean('is not true or false'), entry: z.unknown().optional() })
  .transform((wire) => ({
    isBlocked: wire.is_blocked,
    entry: dncEntryWire.safeParse(wire.entry).data ?? null,
  }))
