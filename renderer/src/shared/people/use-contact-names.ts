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
/** Asked for again when its row draws or the core reports. */
const missed = 0

/**
 * Names of contacts beside numbers: call the result where a row draws. It gives an empty text without a contact, and until the name of a
 * new number is known.
 */
export function useContactNames(): (number: string | null | undefined) => string {
  const rpc = useRpc()
  const names = shallowReactive(new Map<string, string>())
  /** The newest look-up of each number; `missed` after a failure. Oldest number first. */
  const asked = new Map<string, number>()
  let lookUps = 0
  let waiting: string[] = []
  let version: number | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function ask(numbers: readonly string[]): Promise<void> {
    const wanted = numbers.filter((number) => asked.has(number))
    const lookUp = ++lookUps
    for (const number of wanted) asked.set(number, lookUp)
    for (let at = 0; at < wanted.length; at += contactNamesMax) {
      const part = wanted.slice(at, at + contactNamesMax)
      const answer = await attempt(rpc.client.contacts.names({ numbers: part }))
      for (const [index, number] of part.entries()) {
        // It has scrolled away, or a newer look-up asks for it.
        if (asked.get(number) !== lookUp) continue
        if (!answer.ok) asked.set(number, missed)
        else if ((answer.value.names[index] ?? '') !== (names.get(number) ?? ''))
          names.set(number, answer.value.names[index] ?? '')
      }
    }
  }

  function gather(number: string): void {
    asked.set(number, ++lookUps)
    waiting.push(number)
    timer ??= setTimeout(() => {
      timer = undefined
      const next = waiting
      waiting = []
      for (const old of [...asked.keys()].slice(0, Math.max(0, asked.size - knownMax))) {
        asked.delete(old)
        names.delete(old)
      }
      void ask(next)
    }, gatherMs)
  }

  const askAgain = useThrottleFn(() => ask([...asked.keys()]), refreshMs, true)
  onScopeDispose(
    rpc.subscribe((client, signal) => client.contacts.watch(undefined, { signal }), {
      onItem(now) {
        if (version !== null && (version !== now.version || [...asked.values()].includes(missed)))
          void askAgain()
        version = now.version
      },
    }),
  )
  onScopeDispose(() => clearTimeout(timer))

  return (number) => {
    if (!number || number.length > 64) return ''
    if ((asked.get(number) ?? missed) === missed) gather(number)
    return names.get(number) ?? ''
  }
}
