import { implement } from '@orpc/server'
import { retentionContract } from '../../contract/retention.ts'
import type { CoreContext } from '../context.ts'

const os = implement(retentionContract).$context<CoreContext>()

export const retentionHandlers = {
  get: os.get.handler(({ context }) => context.workspace().retention.get()),
  preview: os.preview.handler(({ context, input }) => context.workspace().retention.preview(input)),
  set: os.set.handler(({ context, input }) => context.workspace().retention.set(input)),
}
