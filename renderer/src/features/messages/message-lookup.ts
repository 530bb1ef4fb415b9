import type { ErrorView } from '#contract/define.ts'
import type { MessageDetail } from '#contract/views/messages.ts'
import { shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/** State of one ID. `waiting`: not started. `lost`: the core did not answer. `at`: time of the answer, ISO. */
export type LookupResult =
  | { kind: 'waiting' }
  | { kind: 'asking' }
  | { kind: 'answered'; detail: MessageDetail; at: string }
  | { kind: 'lost'; error: ErrorView }

/** A lookup of IDs. If it was stopped, `ended` has the remaining IDs as `waiting`. */
export interface LookupState {
  phase: 'idle' | 'running' | 'ended'
  ids: readonly string[]
  results: ReadonlyMap<string, LookupResult>
}

/** Concurrent lookups: enough to hide latency, few enough to stop soon. */
const atOnce = 3

/** Looks IDs up, each with its own result; a new lookup ends the previous one. */
export function createLookup(client: Pick<Client, 'messages'>, onAnswer: (detail: MessageDetail) => void) {
  const state = shallowRef<LookupState>({ phase: 'idle', ids: [], results: new Map() })
  let asked = new AbortController()

  const put = (id: string, result: LookupResult) =>
    (state.value = { ...state.value, results: new Map(state.value.results).set(id, result) })

  async function askOne(id: string, several: boolean, signal: AbortSignal): Promise<void> {
    put(id, { kind: 'asking' })
    try {
      const detail = await client.messages.get({ id, several })
      if (signal.aborted && asked.signal !== signal) return
      put(id, { kind: 'answered', detail, at: new Date().toISOString() })
      onAnswer(detail)
    } catch (cause) {
      if (asked.signal === signal) put(id, { kind: 'lost', error: toErrorView(cause) })
    }
  }

  async function start(ids: readonly string[]): Promise<void> {
    asked.abort()
    const mine = new AbortController()
    asked = mine
    state.value = {
      phase: 'running',
      ids,
      results: new Map(ids.map((id) => [id, { kind: 'waiting' }])),
    }
    const rest = [...ids]
    const work = async () => {
      for (let id = rest.shift(); id !== undefined && !mine.signal.aborted; id = rest.shift())
        await askOne(id, ids.length > 1, mine.signal)
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, work))
    if (asked === mine) state.value = { ...state.value, phase: 'ended' }
  }

  return {
    state,
    start,
    stop() {
      asked.abort()
      if (state.value.phase === 'running') state.value = { ...state.value, phase: 'ended' }
    },
    /** Replaces a shown answer by a newer one. */
    know(detail: MessageDetail): void {
      if (state.value.results.get(detail.id)?.kind === 'answered')
        put(detail.id, { kind: 'answered', detail, at: new Date().toISOString() })
    },
    /** Updates only the status of a message. */
    setStatus(id: string, status: string): void {
      const result = state.value.results.get(id)
      if (result?.kind !== 'answered' || result.detail.record === null) return
      const { detail } = result
      put(id, { ...result, detail: { ...detail, record: { ...detail.record!, status } } })
    },
  }
}
