import { implement } from '@orpc/server'
import { importsContract } from '../../../contract/imports.ts'
import type { ImportsService } from './imports.service.ts'

const os = implement(importsContract).$context<{ imports: ImportsService }>()

export const importsHandlers = {
  inspect: os.inspect.handler(({ context, input }) => {
    const { encoding, delimiter, hasHeader } = input.format ?? {}
    return context.imports.inspect(input.fileId, {
      ...(encoding === undefined ? {} : { encoding }),
      ...(delimiter === undefined ? {} : { delimiter }),
      ...(hasHeader === undefined ? {} : { hasHeader }),
    })
  }),
  preview: os.preview.handler(({ context, input }) => context.imports.preview(input.importId, input.choices)),
  start: os.start.handler(({ context, input }) => context.imports.start(input.importId, input.choices)),
  list: os.list.handler(({ context, input }) => context.imports.list(input.limit, input.cursor)),
  get: os.get.handler(({ context, input }) => context.imports.get(input.importId)),
  rejected: os.rejected.handler(({ context, input }) =>
    context.imports.rejected(input.importId, input.limit, input.cursor),
  ),
  exportRejected: os.exportRejected.handler(({ context, input }) =>
    context.imports.exportRejected(input.importId, input.rows),
  ),
  undo: os.undo.handler(({ context, input }) => context.imports.undo(input.importId)),
}
