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

/** Spec, "DNC entry". The number is required: an entry without one would silently block no one. The id is optional. */
export const dncEntryWire = z.object({ ...fields, id: reference<DncEntryId>() }).transform(toDomain)

/**
 * GET /dnc/check. The spec doesn't show `entry` for a clear number, so anything that isn't an entry is read as none.
 */
export const dncCheckWire = z
  .object({ is_blocked: z.boolean('fault.notBoolean'), entry: z.unknown().optional() })
  .transform((wire) => ({
    isBlocked: wire.is_blocked,
    entry: dncEntryWire.safeParse(wire.entry).data ?? null,
  }))
