import { implement } from '@orpc/server'
import { importsContract } from '../../contract/imports.ts'
import type { CoreContext } from '../context.ts'

const os = implement(importsContract).$context<CoreContext>()

export const importsHandlers = {
  inspect: os.inspect.handler(({ context, input }) => {
    const { encoding, delimiter, hasHeader } = input.format ?? {}
    return context.workspace().imports.inspect(input.fileId, {
      ...(encoding === undefined ? {} : { encoding }),
      ...(delimiter === undefined ? {} : { delimiter }),
      ...(hasHeader === undefined ? {} : { hasHeader }),
    })
  }),
  preview: os.preview.handler(({ context, input }) =>
    context.workspace().imports.preview(input.importId, input.choices),
  ),
  start: os.start.handler(({ context, input }) =>
    context.workspace().imports.start(input.importId, input.choices),
  ),
  list: os.list.handler(({ context, input }) => context.workspace().imports.list(input.limit, input.cursor)),
  get: os.get.handler(({ context, input }) => context.workspace().imports.get(input.importId)),
  rejected: os.rejected.handler(({ context, input }) =>
    context.workspace().imports.rejected(input.importId, input.limit, input.cursor),
  ),
  exportRejected: os.exportRejected.handler(({ context, input }) =>
    context.workspace().imports.exportRejected(input.importId, input.rows),
  ),
  undo: os.undo.handler(({ context, input }) => context.workspace().imports.undo(input.importId)),
}
