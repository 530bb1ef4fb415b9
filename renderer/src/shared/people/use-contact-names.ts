import { contactNamesMax } from '#contract/people/contacts.ts'
import { useThrottleFn } from '@vueuse/core'
import { onScopeDispose, shallowReactive } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'

/** The rows drawn within this time are asked for together, milliseconds. */
const gatherMs = 50
/** Numbers remembered: many screens of rows. */
const knownMax = 1_000
/** Contacts may change four times a second during an import. */
const refreshMs = 2_000

/**
 * Names of contacts beside numbers: call the result where a row draws. It gives an empty text without a contact, and until the name of a
 * new number is known.
 */
export function useContactNames(): (number: string | null | undefined) => string {
  const rpc = useRpc()
  const names = shallowReactive(new Map<string, string>())
  /** Oldest first. */
  const asked = new Set<string>()
  let waiting: string[] = []
  /** A look-up failed. The watch reports again once the core is back. */
  let isMissed = false
  let version: number | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function ask(numbers: readonly string[]): Promise<void> {
    for (let at = 0; at < numbers.length; at += contactNamesMax) {
      const part = numbers.slice(at, at + contactNamesMax)
      const answer = await attempt(rpc.client.contacts.names({ numbers: part }))
      isMissed = !answer.ok
      if (!answer.ok) return
      part.forEach((number, index) => {
        const name = answer.value.names[index] ?? ''
        if (asked.has(number) && name !== (names.get(number) ?? '')) names.set(number, name)
      })
    }
  }

  function gather(number: string): void {
    asked.add(number)
    waiting.push(number)
    timer ??= setTimeout(() => {
      timer = undefined
      const next = waiting
      waiting = []
      for (const old of [...asked].slice(0, Math.max(0, asked.size - knownMax))) {
        asked.delete(old)
        names.delete(old)
      }
      void ask(next)
    }, gatherMs)
  }

  const askAgain = useThrottleFn(() => ask([...asked]), refreshMs, true)
  onScopeDispose(
    rpc.subscribe((client, signal) => client.contacts.watch(undefined, { signal }), {
      onItem(now) {
        if (version !== null && (version !== now.version || isMissed)) void askAgain()
        version = now.version
      },
    }),
  )
  onScopeDispose(() => clearTimeout(timer))

  return (number) => {
    if (!number || number.length > 64) return ''
    if (!asked.has(number)) gather(number)
    return names.get(number) ?? ''
  }
}
