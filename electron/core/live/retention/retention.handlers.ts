import { implement } from '@orpc/server'
import { retentionContract } from '../../../contract/retention.ts'
import type { RetentionService } from './retention.service.ts'

const os = implement(retentionContract).$context<{ retention: RetentionService }>()

export const retentionHandlers = {
  get: os.get.handler(({ context }) => context.retention.get()),
  preview: os.preview.handler(({ context, input }) => context.retention.preview(input)),
  set: os.set.handler(({ context, input }) => context.retention.set(input)),
}
