import * as z from 'zod'
import type { Contact, ContactId, TenantId } from '../../../contract/domain.ts'
import { id, instant, reference, text, textMap } from './fields.ts'

/** Spec, "Contact". */
export const contactWire = z
  .object({
    id: id<ContactId>(),
    tenant_id: reference<TenantId>(),
    name: text,
    phone: text,
    email: text,
    tags: textMap,
    created_at: instant,
    updated_at: instant,
  })
  .transform((wire): Contact => ({
    id: wire.id,
    tenantId: wire.tenant_id,
    name: wire.name,
    phone: wire.phone,
    email: wire.email,
    tags: wire.tags,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  }))
