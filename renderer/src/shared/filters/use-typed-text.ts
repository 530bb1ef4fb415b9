import { getCurrentInstance, onScopeDispose, ref, watch } from 'vue'
import { onBeforeRouteLeave } from 'vue-router'

/**
 * A text field of a filter that is kept elsewhere. The field follows `applied` (the address, which may change) but never overwrites what is being typed: a late answer to earlier text may
 * arrive after the next key. `restMs` is the pause after the last key before `apply` gets the trimmed text; with `atOnce` the first key
 * after such a pause applies at once. Stops when the page is left.
 */
export function useTypedText(
  applied: () => string,
  apply: (text: string) => void,
  restMs: number,
  { atOnce = false } = {},
) {
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

  /** Call at every key: the text is applied after a pause in typing. */
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
  // Updating the address now would cancel the navigation to another page.
  if (getCurrentInstance()) onBeforeRouteLeave(settle)

  return {
    typed,
    touch,
    /** Sets a text that was not typed, such as an empty one, and drops pending keys. */
    put(text: string): void {
      settle()
      typed.value = text
    },
  }
}
