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

/** What blocks sending to a number. */
export type Blocked = 'dnc' | 'hold' | null

/**
 * What is known of numbers in lists: call `nameOf` and `blockedOf` where a row draws. They give an empty text and null without a contact
 * and a block, and until a new number is looked up.
 */
export function useKnownNumbers() {
  const rpc = useRpc()
  const names = shallowReactive(new Map<string, string>())
  const blocks = shallowReactive(new Map<string, Blocked>())
  /** The newest look-up of each number; `missed` after a failure. Oldest number first. */
  const asked = new Map<string, number>()
  let lookUps = 0
  let waiting: string[] = []
  let version: number | null = null
  let isListKnown = false
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
        if (!answer.ok) {
          asked.set(number, missed)
          continue
        }
        const [name, block] = [answer.value.names[index] ?? '', answer.value.blocked[index] ?? null]
        if (name !== (names.get(number) ?? '')) names.set(number, name)
        if (block !== (blocks.get(number) ?? null)) blocks.set(number, block)
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
        blocks.delete(old)
      }
      void ask(next)
    }, gatherMs)
  }

  const askAgain = useThrottleFn(() => ask([...asked.keys()]), refreshMs, true)
  rpc.subscribe((client, signal) => client.contacts.watch(undefined, { signal }), {
    onItem(now) {
      if (version !== null && (version !== now.version || [...asked.values()].includes(missed)))
        void askAgain()
      version = now.version
    },
  })
  rpc.subscribe((client, signal) => client.dnc.watch(undefined, { signal }), {
    onItem({ sync }) {
      // A running sync reports each page; its end changes the marks at once.
      if (isListKnown && sync?.state !== 'running') void askAgain()
      isListKnown = true
    },
  })
  onScopeDispose(() => clearTimeout(timer))

  function look<T>(known: ReadonlyMap<string, T>, number: string | null | undefined): T | undefined {
    if (!number || number.length > 64) return undefined
    if ((asked.get(number) ?? missed) === missed) gather(number)
    return known.get(number)
  }
  return {
    nameOf: (number: string | null | undefined): string => look(names, number) ?? '',
    blockedOf: (number: string | null | undefined): Blocked => look(blocks, number) ?? null,
  }
}
