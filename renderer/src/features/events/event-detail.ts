import type { ErrorView } from '#contract/define.ts'
import type { EventDetail, EventRow } from '#contract/events.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/** The drawer's content. While it loads, and when it fails, the row is shown as the list has it. */
export type DetailState =
  | { kind: 'closed' }
  | { kind: 'loading'; row: EventRow }
  | { kind: 'ready'; row: EventRow; detail: EventDetail }
  | { kind: 'failed'; row: EventRow; error: ErrorView }

/** Reads the details of one event at a time; an answer for an event that was left meanwhile is dropped. */
export function createEventDetail(client: { events: Pick<Client['events'], 'get'> }): {
  state: Readonly<ShallowRef<DetailState>>
  show(row: EventRow): Promise<void>
  close(): void
} {
  const state = shallowRef<DetailState>({ kind: 'closed' })
  let asked = new AbortController()

  async function show(row: EventRow): Promise<void> {
    asked.abort()
    const mine = new AbortController()
    asked = mine
    const known = state.value
    // The same event read again (another copy came) keeps its content until the new one is here.
    state.value =
      known.kind === 'ready' && known.row.seq === row.seq ? { ...known, row } : { kind: 'loading', row }
    try {
      const detail = await client.events.get({ seq: row.seq }, { signal: mine.signal })
      if (!mine.signal.aborted) state.value = { kind: 'ready', row, detail }
    } catch (cause) {
      if (!mine.signal.aborted) state.value = { kind: 'failed', row, error: toErrorView(cause) }
    }
  }

  return {
    state,
    show,
    close() {
      asked.abort()
      state.value = { kind: 'closed' }
    },
  }
}
