import { implement } from '@orpc/server'
import { dncContract } from '../../contract/dnc.ts'
import type { CoreContext } from '../context.ts'

const os = implement(dncContract).$context<CoreContext>()

export const dncHandlers = {
  watch: os.watch.handler(({ context, signal }) =>
    context.workspace().dnc.watch(signal ?? new AbortController().signal),
  ),
  sync: os.sync.handler(({ context }) => context.workspace().dnc.sync()),
  setMaxAge: os.setMaxAge.handler(({ context, input }) => context.workspace().dnc.setMaxAge(input.maxAgeMs)),
  list: os.list.handler(({ context, input, signal }) => context.workspace().dnc.list(input, signal)),
  checkOffline: os.checkOffline.handler(({ context, input }) =>
    context.workspace().dnc.checkOffline(input.phones, input.region),
  ),
  checkOnline: os.checkOnline.handler(({ context, input, signal }) =>
    context.workspace().dnc.checkOnline(input.phone, input.region, signal),
  ),
  checkFile: os.checkFile.handler(({ context, input }) => context.workspace().checks.start(input)),
  inspectFile: os.inspectFile.handler(({ context, input }) =>
    context.workspace().checks.inspect(input.fileId),
  ),
  checkRuns: os.checkRuns.handler(({ context, input }) =>
    context.workspace().checks.list(input.limit, input.cursor),
  ),
  holds: os.holds.handler(({ context, input }) => context.workspace().dnc.holds(input)),
  hold: os.hold.handler(({ context, input }) => context.workspace().dnc.hold(input)),
  release: os.release.handler(({ context, input }) => context.workspace().dnc.release(input.id)),
  exportHandOff: os.exportHandOff.handler(({ context, input }) =>
    context.workspace().handOffHolds(input.all),
  ),
  stopWords: os.stopWords.handler(({ context }) => ({
    words: [...context.workspace().dnc.stopWords()],
  })),
  setStopWords: os.setStopWords.handler(({ context, input }) => ({
    words: [...context.workspace().dnc.setStopWords(input.words)],
  })),
}
