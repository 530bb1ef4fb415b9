import type * as z from 'zod'
import type { Contact, ContactId, TenantId } from '../../../contract/domain.ts'
import { id, instant, reference, text, textMap, recordOf } from './fields.ts'
import { notAnError } from './message-text.ts'

/** Spec, "Contact". */
export const contactWire: z.ZodType<Contact> = notAnError.pipe(
  recordOf({
    id: id<ContactId>(),
    tenant_id: reference<TenantId>(),
    name: text,
    phone: text,
    email: text,
    tags: textMap,
    created_at: instant,
    updated_at: instant,
  }),
)
