import { implement } from '@orpc/server'
import { replayContract } from '../../contract/replay.ts'
import { loadRecording } from './load-recording.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import type { RecorderService } from '../recorder/recorder.service.ts'
import type { ReplayService } from './replay.service.ts'

/** What the handlers use of a call. A getter throws NO_CONNECTION while no connection is open. */
interface Slice {
  files: FileStore
  recorder: RecorderService
  replay: ReplayService
}

const os = implement(replayContract).$context<Slice>()
const never = () => new AbortController().signal

export const replayHandlers = {
  state: os.state.handler(({ context, signal }) => context.replay.watchState(signal ?? never())),
  start: os.start.handler(({ context, input }) => context.replay.start(input)),
  load: os.load.handler(({ context, input, signal }) => loadRecording(context, input, signal ?? never())),
  profile: os.profile.handler(({ context, input }) => context.replay.profile(input.bucketMs)),
  control: os.control.handler(({ context, input }) => context.replay.control(input)),
  stop: os.stop.handler(({ context }) => {
    context.replay.stop()
    return {}
  }),
  search: os.search.handler(({ context, input, signal }) => context.replay.search(input, signal)),
  watch: os.watch.handler(({ context, input, signal }) => context.replay.watch(input, signal ?? never())),
  get: os.get.handler(({ context, input }) => context.replay.get(input.seq)),
  series: os.series.handler(({ context, input }) => context.replay.series(input)),
  holes: os.holes.handler(({ context }) => context.replay.holes()),
}
