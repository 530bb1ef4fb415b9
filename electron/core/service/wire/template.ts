import type * as z from 'zod'
import type { Template, TemplateId, TenantId } from '../../../contract/domain.ts'
import { id, instant, reference, statusWord, text, textMap, recordOf } from './fields.ts'
import { notAnError } from './message-text.ts'

/** Spec, "Template". */
export const templateWire: z.ZodType<Template> = notAnError.pipe(
  recordOf({
    id: id<TemplateId>(),
    tenant_id: reference<TenantId>(),
    name: text,
    body: text,
    variables: textMap,
    status: statusWord,
    created_at: instant,
    updated_at: instant,
  }),
)
