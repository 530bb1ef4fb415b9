import * as z from 'zod'
import type { DncEntry, DncEntryId, TenantId } from '../../../contract/domain.ts'
import { instant, reference, requiredText, text } from './fields.ts'

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

const fields = {
  id: reference<DncEntryId>(),
  tenant_id: reference<TenantId>(),
  reason: text,
  created_at: instant,
}

/** Spec, "DNC entry". */
const dncEntryWire = z.object({ ...fields, phone_number: requiredText }).transform(toDomain)

/**
 * An entry of the list. Each record is one: a lost entry could be a number that gets called. Without a readable
 * number it is empty; a bare text counts as the number.
 */
export const listedDncEntryWire = z.preprocess(
  (record) =>
    typeof record === 'object' && record !== null && !Array.isArray(record)
      ? record
      : { phone_number: record },
  z
    .object({ ...fields, phone_number: text })
    .transform((wire) => toDomain({ ...wire, phone_number: wire.phone_number ?? '' })),
)

/**
 * GET /dnc/check. The spec doesn't show `entry` for a clear number, so anything that isn't an entry is read as none.
 */
export const dncCheckWire = z
  .object({ is_blocked: z.boolean('fault.notBoolean'), entry: z.unknown().optional() })
  .transform((wire) => ({
    isBlocked: wire.is_blocked,
    entry: dncEntryWire.safeParse(wire.entry).data ?? null,
  }))
