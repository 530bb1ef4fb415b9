import { implement } from '@orpc/server'
import { recorderContract } from '../../contract/recorder.ts'
import type { RecorderService } from './recorder.service.ts'

const os = implement(recorderContract).$context<{ about(): { version: string }; recorder: RecorderService }>()

export const recorderHandlers = {
  key: os.key.handler(({ context }) => ({ key: context.recorder.key() })),
  export: os.export.handler(({ context, input }) => context.recorder.export(input, context.about().version)),
  verify: os.verify.handler(({ context, input, signal }) =>
    context.recorder.verify(input.fileId, signal ?? new AbortController().signal),
  ),
}
