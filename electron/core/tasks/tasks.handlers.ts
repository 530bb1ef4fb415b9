import { implement } from '@orpc/server'
import { tasksContract } from '../../contract/tasks.ts'
import type { CoreContext } from '../context.ts'

const os = implement(tasksContract).$context<CoreContext>()

export const tasksHandlers = {
  watch: os.watch.handler(({ context, signal }) =>
    context.workspace().tasks.watch(signal ?? new AbortController().signal),
  ),
  get: os.get.handler(({ context, input }) => context.workspace().tasks.get(input.id)),
  pause: os.pause.handler(({ context, input }) => context.workspace().tasks.pause(input.id)),
  resume: os.resume.handler(({ context, input }) => context.workspace().tasks.resume(input.id)),
  cancel: os.cancel.handler(({ context, input }) => context.workspace().tasks.cancel(input.id)),
  dismiss: os.dismiss.handler(({ context, input }) => ({
    dismissed: context.workspace().tasks.dismiss(input.id),
  })),
}
