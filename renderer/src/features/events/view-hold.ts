import { shallowRef } from 'vue'
import type { EventStream } from './event-stream.ts'

/** `following`: at the newest. `reading`: what you look at must not move. `paused`: on request. */
export type ViewMode = 'following' | 'reading' | 'paused'

/** Whether new rows appear in the list: the stream is held in every mode but `following`. */
export function createViewHold(stream: Pick<EventStream, 'hold' | 'release'>) {
  const mode = shallowRef<ViewMode>('following')

  function turn(next: ViewMode): void {
    if (mode.value === next) return
    mode.value = next
    if (next === 'following') stream.release()
    else stream.hold()
  }

  return {
    mode,
    /** Back to the newest, with everything that arrived. Ends a pause. */
    follow: () => turn('following'),
    /** You look at something in the list. A pause stays a pause. */
    read() {
      if (mode.value === 'following') turn('reading')
    },
    /** You scrolled back to the top: follows again, unless paused. */
    reachTop() {
      if (mode.value === 'reading') turn('following')
    },
    togglePause: () => turn(mode.value === 'paused' ? 'following' : 'paused'),
  }
}
