import { type ComputedRef, type Ref, computed, shallowRef } from 'vue'
import type { EventStream } from './event-stream.ts'

/** `following`: at the newest. `reading`: the operator looks at something, which must not move. `paused`: by request. */
export type ViewMode = 'following' | 'reading' | 'paused'

/** Whether new rows come in under the operator's eyes. */
export interface ViewHold {
  mode: Readonly<Ref<ViewMode>>
  /** What the view holds back, for its button. Empty while nothing is. */
  notice: ComputedRef<number>
  /** Back to the newest, with all that arrived meanwhile. Ends a pause. */
  follow(): void
  /** The operator turned to something in the list. A pause stays a pause. */
  read(): void
  /** The operator scrolled back to the top: follows again, unless paused. */
  reachTop(): void
  togglePause(): void
}

/** Ties the view's mode to the stream: it is held in every mode but `following`. */
export function createViewHold(stream: Pick<EventStream, 'hold' | 'release' | 'heldCount'>): ViewHold {
  const mode = shallowRef<ViewMode>('following')

  function turn(next: ViewMode): void {
    if (mode.value === next) return
    mode.value = next
    if (next === 'following') stream.release()
    else stream.hold()
  }

  return {
    mode,
    notice: computed(() => stream.heldCount.value),
    follow: () => turn('following'),
    read() {
      if (mode.value === 'following') turn('reading')
    },
    reachTop() {
      if (mode.value === 'reading') turn('following')
    },
    togglePause: () => turn(mode.value === 'paused' ? 'following' : 'paused'),
  }
}
