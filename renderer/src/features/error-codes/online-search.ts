import type { ErrorView } from '#contract/define.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { formatCounted } from '../../shared/format/numbers.ts'

/** What came of asking the service. `warning` is what makes its answer doubtful. */
export type OnlineState =
  | { kind: 'idle' }
  | { kind: 'asking'; text: string }
  | { kind: 'answered'; text: string; found: string; warning: string | null }
  | { kind: 'failed'; text: string; error: ErrorView }

/** Asks the service for records of a text; what it answers is kept by the core, so the offline search finds it from then on. */
export function createOnlineSearch(client: Pick<Client, 'errorCodes'>): {
  state: Readonly<ShallowRef<OnlineState>>
  /** True when the service answered, and the offline search may find more now. */
  ask(text: string): Promise<boolean>
  close(): void
} {
  const state = shallowRef<OnlineState>({ kind: 'idle' })
  let latest = 0

  return {
    state,
    async ask(text) {
      const mine = ++latest
      state.value = { kind: 'asking', text }
      const answer = await attempt(client.errorCodes.searchOnline({ text }))
      if (mine !== latest) return false
      const error = answer.ok ? answer.value.problem : answer.error
      if (!answer.ok || error !== null) {
        state.value = { kind: 'failed', text, error: error! }
        return false
      }
      const { items, added, ignoredText } = answer.value
      const news = added > 0 ? `${formatCounted(added, 'record')} new here` : 'none of them new here'
      state.value = {
        kind: 'answered',
        text,
        found:
          items.length === 0
            ? 'The service has no record of this.'
            : `The service answered ${formatCounted(items.length, 'code')}, ${news}.`,
        warning: ignoredText
          ? 'It seems to ignore the search text and to answer everything. Probe the parameter under Settings, Dialect.'
          : null,
      }
      return true
    },
    close() {
      latest++
      state.value = { kind: 'idle' }
    },
  }
}
