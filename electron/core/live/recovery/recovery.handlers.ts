import { implement } from '@orpc/server'
import { recoveryContract } from '../../../contract/recovery.ts'
import type { RecoveryService } from './recovery.service.ts'

const os = implement(recoveryContract).$context<{ recovery: RecoveryService }>()

export const recoveryHandlers = {
  get: os.get.handler(({ context, input }) => context.recovery.get(input.days)),
  start: os.start.handler(({ context, input }) => context.recovery.start(input.from)),
}
