import { type Ref, onScopeDispose, ref, watch } from 'vue'

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
 * what was typed earlier may come after the next key. `restMs` is the rest after the last key before `apply` gets the trimmed text.
 */
export function useTypedText(
  applied: () => string,
  apply: (text: string) => void,
  restMs: number,
): TypedText {
  const typed = ref(applied())
  let rest: ReturnType<typeof setTimeout> | undefined

  function settle(): void {
    clearTimeout(rest)
    rest = undefined
  }

  function touch(): void {
    settle()
    rest = setTimeout(() => {
      settle()
      apply(typed.value.trim())
    }, restMs)
  }

  watch(applied, (text) => {
    if (rest === undefined && text !== typed.value.trim()) typed.value = text
  })
  onScopeDispose(settle)

  return {
    typed,
    touch,
    put(text) {
      settle()
      typed.value = text
    },
  }
}
