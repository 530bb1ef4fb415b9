import { implement } from '@orpc/server'
import { errorCodesContract } from '../../../contract/error-codes.ts'
import type { ErrorCodesService } from './error-codes.service.ts'

const os = implement(errorCodesContract).$context<{ errorCodes: ErrorCodesService }>()

export const errorCodesHandlers = {
  search: os.search.handler(({ context, input }) => context.errorCodes.search(input)),
  searchOnline: os.searchOnline.handler(({ context, input }) => context.errorCodes.searchOnline(input.text)),
  get: os.get.handler(({ context, input }) => context.errorCodes.get(input.code)),
  setNote: os.setNote.handler(({ context, input }) => context.errorCodes.setNote(input.code, input.note)),
  fill: os.fill.handler(({ context }) => context.errorCodes.fill()),
}
