import { implement } from '@orpc/server'
import { replayContract } from '../../contract/replay.ts'
import type { CoreContext } from '../context.ts'
import { loadRecording } from './load-recording.ts'

const os = implement(replayContract).$context<CoreContext>()
const never = () => new AbortController().signal

export const replayHandlers = {
  state: os.state.handler(({ context, signal }) => context.workspace().replay.watchState(signal ?? never())),
  start: os.start.handler(({ context, input }) => context.workspace().replay.start(input)),
  load: os.load.handler(({ context, input, signal }) =>
    loadRecording(context.workspace(), input, signal ?? never()),
  ),
  profile: os.profile.handler(({ context, input }) => context.workspace().replay.profile(input.bucketMs)),
  control: os.control.handler(({ context, input }) => context.workspace().replay.control(input)),
  stop: os.stop.handler(({ context }) => {
    context.workspace().replay.stop()
    return {}
  }),
  search: os.search.handler(({ context, input, signal }) => context.workspace().replay.search(input, signal)),
  watch: os.watch.handler(({ context, input, signal }) =>
    context.workspace().replay.watch(input, signal ?? never()),
  ),
  get: os.get.handler(({ context, input }) => context.workspace().replay.get(input.seq)),
  series: os.series.handler(({ context, input }) => context.workspace().replay.series(input)),
  holes: os.holes.handler(({ context }) => context.workspace().replay.holes()),
}
