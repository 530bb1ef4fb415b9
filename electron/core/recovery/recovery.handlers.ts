import { implement } from '@orpc/server'
import { recoveryContract } from '../../contract/recovery.ts'
import type { CoreContext } from '../context.ts'

const os = implement(recoveryContract).$context<CoreContext>()

export const recoveryHandlers = {
  get: os.get.handler(({ context, input }) => context.workspace().recovery.get(input.days)),
  start: os.start.handler(({ context, input }) => context.workspace().recovery.start(input.from)),
}
