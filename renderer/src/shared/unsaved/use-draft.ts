import type { ErrorView } from '#contract/define.ts'
import { type Ref, computed, reactive, ref, shallowRef, watch } from 'vue'
import type { Attempt } from '../../rpc/error-view.ts'
import { useAttempt } from '../../rpc/use-attempt.ts'
import { useToastStore } from '../ui/toast.store.ts'
import { type UnsavedWork, useUnsaved } from './use-unsaved.ts'

/** What a form holds until it is saved or discarded. */
export interface Draft<T> {
  /** As typed: bind the fields to it. */
  draft: T
  /** Whether discarding or leaving would lose something. */
  readonly changed: boolean
  readonly busy: boolean
  /** Why the last save failed, until the draft changes. */
  readonly error: ErrorView | null
  discard: () => void
  /** Waits for a call that takes the draft. If it works, the draft is no longer a change. */
  send: <V>(call: Promise<V>) => Promise<Attempt<V>>
  /** The same, and says that it was saved. */
  save: <V>(call: Promise<V>) => Promise<Attempt<V>>
}

/**
 * A draft of `source`, which is plain JSON. The draft follows the source until you type; then it stays when the source changes.
 * Leaving asks first if it is changed.
 */
export function useDraft<T>(source: () => T, unsaved: Omit<UnsavedWork, 'isDirty'>): Draft<T> {
  const { busy, error, run } = useAttempt()
  const toasts = useToastStore()
  const saved = computed(() => JSON.stringify(source()))
  const start = shallowRef(saved.value)
  const draft = ref(JSON.parse(saved.value)) as Ref<T>
  const typed = computed(() => JSON.stringify(draft.value))
  const changed = computed(() => typed.value !== start.value)

  function discard(): void {
    start.value = saved.value
    draft.value = JSON.parse(saved.value) as T
    error.value = null
  }

  async function send<V>(call: Promise<V>): Promise<Attempt<V>> {
    const [sent, before] = [typed.value, saved.value]
    const answer = await run(call)
    if (!answer.ok) return answer
    start.value = sent
    // The source may have it in another spelling.
    if (!changed.value && saved.value !== before) discard()
    return answer
  }

  async function save<V>(call: Promise<V>): Promise<Attempt<V>> {
    const answer = await send(call)
    if (answer.ok) toasts.saved()
    return answer
  }

  watch(saved, () => {
    if (changed.value) start.value = saved.value
    else discard()
  })
  watch(typed, () => (error.value = null))
  useUnsaved().guard({ ...unsaved, isDirty: () => changed.value })

  return reactive({ draft, changed, busy, error, discard, send, save }) as Draft<T>
}
