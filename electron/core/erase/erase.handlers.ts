import { implement } from '@orpc/server'
import { eraseContract } from '../../contract/erase.ts'
import type { CoreContext } from '../context.ts'

const os = implement(eraseContract).$context<CoreContext>()

export const eraseHandlers = {
  start: os.start.handler(({ context, input }) => context.workspace().erase.start(input)),
  receipts: os.receipts.handler(({ context }) => context.workspace().erase.receipts()),
}
