import { implement } from '@orpc/server'
import { recorderContract } from '../../contract/recorder.ts'
import type { CoreContext } from '../context.ts'

const os = implement(recorderContract).$context<CoreContext>()

export const recorderHandlers = {
  key: os.key.handler(({ context }) => ({ key: context.workspace().recorder.key() })),
  export: os.export.handler(({ context, input }) =>
    context.workspace().recorder.export(input, context.about().version),
  ),
  verify: os.verify.handler(({ context, input, signal }) =>
    context.workspace().recorder.verify(input.fileId, signal ?? new AbortController().signal),
  ),
}
