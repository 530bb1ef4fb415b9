import { implement } from '@orpc/server'
import { evidenceContract } from '../../../contract/evidence.ts'
import type { EvidenceService } from './evidence.service.ts'

const os = implement(evidenceContract).$context<{ about(): { version: string }; evidence: EvidenceService }>()

export const evidenceHandlers = {
  key: os.key.handler(({ context }) => ({ key: context.evidence.key() })),
  export: os.export.handler(({ context, input }) => context.evidence.export(input, context.about().version)),
  verify: os.verify.handler(({ context, input, signal }) =>
    context.evidence.verify(input.fileId, signal ?? new AbortController().signal),
  ),
}
