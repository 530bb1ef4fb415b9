import * as z from 'zod'
import type { Template, TemplateId, TenantId } from '../../../contract/domain.ts'
import { id, instant, reference, statusWord, text, textMap } from './fields.ts'

/** Spec, "Template". */
export const templateWire = z
  .object({
    id: id<TemplateId>(),
    tenant_id: reference<TenantId>(),
    name: text,
    body: text,
    variables: textMap,
    status: statusWord,
    created_at: instant,
    updated_at: instant,
  })
  .transform((wire): Template => ({
    id: wire.id,
    tenantId: wire.tenant_id,
    name: wire.name,
    body: wire.body,
    variables: wire.variables,
    status: wire.status,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  }))
