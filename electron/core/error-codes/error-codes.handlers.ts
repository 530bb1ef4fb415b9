import { implement } from '@orpc/server'
import { errorCodesContract } from '../../contract/error-codes.ts'
import type { CoreContext } from '../context.ts'

const os = implement(errorCodesContract).$context<CoreContext>()

export const errorCodesHandlers = {
  search: os.search.handler(({ context, input }) => context.workspace().errorCodes.search(input)),
  searchOnline: os.searchOnline.handler(({ context, input }) =>
    context.workspace().errorCodes.searchOnline(input.text),
  ),
  get: os.get.handler(({ context, input }) => context.workspace().errorCodes.get(input.code)),
  setNote: os.setNote.handler(({ context, input }) =>
    context.workspace().errorCodes.setNote(input.code, input.note),
  ),
  fill: os.fill.handler(({ context }) => context.workspace().errorCodes.fill()),
}
