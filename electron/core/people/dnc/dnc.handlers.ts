import { implement } from '@orpc/server'
import { dncContract } from '../../../contract/dnc.ts'
import type { DncChecks } from './dnc-checks.ts'
import type { DncService } from './dnc.service.ts'
import type { createHoldHandOff } from './hold-hand-off.ts'

/** What the handlers use of a call. A getter throws NO_CONNECTION while no connection is open. */
interface Slice {
  checks: DncChecks
  dnc: DncService
  handOffHolds: ReturnType<typeof createHoldHandOff>
}

const os = implement(dncContract).$context<Slice>()

export const dncHandlers = {
  watch: os.watch.handler(({ context, signal }) => context.dnc.watch(signal ?? new AbortController().signal)),
  sync: os.sync.handler(({ context }) => context.dnc.sync()),
  setMaxAge: os.setMaxAge.handler(({ context, input }) => context.dnc.setMaxAge(input.maxAgeMs)),
  list: os.list.handler(({ context, input, signal }) => context.dnc.list(input, signal)),
  checkOffline: os.checkOffline.handler(({ context, input }) =>
    context.dnc.checkOffline(input.phones, input.region),
  ),
  checkOnline: os.checkOnline.handler(({ context, input, signal }) =>
    context.dnc.checkOnline(input.phone, input.region, signal),
  ),
  checkFile: os.checkFile.handler(({ context, input }) => context.checks.start(input)),
  inspectFile: os.inspectFile.handler(({ context, input }) => context.checks.inspect(input.fileId)),
  checkRuns: os.checkRuns.handler(({ context, input }) => context.checks.list(input.limit, input.cursor)),
  holds: os.holds.handler(({ context, input }) => context.dnc.holds(input)),
  hold: os.hold.handler(({ context, input }) => context.dnc.hold(input)),
  release: os.release.handler(({ context, input }) => context.dnc.release(input.id)),
  exportHandOff: os.exportHandOff.handler(({ context, input }) => context.handOffHolds(input.all)),
  stopWords: os.stopWords.handler(({ context }) => ({
    words: [...context.dnc.stopWords()],
  })),
  setStopWords: os.setStopWords.handler(({ context, input }) => ({
    words: [...context.dnc.setStopWords(input.words)],
  })),
}
