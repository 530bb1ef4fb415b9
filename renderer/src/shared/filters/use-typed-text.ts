import { type Ref, getCurrentInstance, onScopeDispose, ref, watch } from 'vue'
import { onBeforeRouteLeave } from 'vue-router'

/** A text field of a filter that is kept elsewhere. */
export interface TypedText {
  /** What stands in the field. */
  typed: Ref<string>
  /** To be called with every key: the text is applied when typing rests. */
  touch(): void
  /** Puts a text there that was not typed, such as none; what was typed a moment ago does not come back. */
  put(text: string): void
}

/**
 * The field follows `applied` (the address, which may change under it) but never takes away what is being typed: an answer to
 * what was typed earlier may come after the next key. `restMs` is the rest after the last key before `apply` gets the trimmed text; with
 * `atOnce` a key after such a rest is not waited for. Who leaves the page meanwhile is not followed.
 */
export function useTypedText(
  applied: () => string,
  apply: (text: string) => void,
  restMs: number,
  { atOnce = false } = {},
): TypedText {
  const typed = ref(applied())
  let rest: ReturnType<typeof setTimeout> | undefined
  let given: string | null = null

  function settle(): void {
    clearTimeout(rest)
    rest = undefined
  }

  function give(): void {
    const text = typed.value.trim()
    if (text !== given) apply(text)
    given = text
  }

  function touch(): void {
    const isFirst = rest === undefined
    settle()
    if (isFirst) given = null
    rest = setTimeout(() => {
      settle()
      give()
    }, restMs)
    if (isFirst && atOnce) give()
  }

  watch(applied, (text) => {
    if (rest === undefined && text !== typed.value.trim()) typed.value = text
  })
  onScopeDispose(settle)
  // An address that follows into a page that is on its way would call the operator back.
  if (getCurrentInstance()) onBeforeRouteLeave(settle)

  return {
    typed,
    touch,
    put(text) {
      settle()
      typed.value = text
    },
  }
}
