import { implement } from '@orpc/server'
import { eraseContract } from '../../../contract/erase.ts'
import type { EraseService } from './erase.service.ts'

const os = implement(eraseContract).$context<{ erase: EraseService }>()

export const eraseHandlers = {
  start: os.start.handler(({ context, input }) => context.erase.start(input)),
  receipts: os.receipts.handler(({ context }) => context.erase.receipts()),
}
