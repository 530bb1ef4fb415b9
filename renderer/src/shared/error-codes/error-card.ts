import type { ErrorView } from '#contract/define.ts'
import type { ErrorCodeCard } from '#contract/error-codes.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/** A card as it is read: `failed` keeps nothing, since a card of another code would mislead. */
export type CardState =
  | { kind: 'idle' }
  | { kind: 'loading'; code: string }
  | { kind: 'ready'; card: ErrorCodeCard }
  | { kind: 'failed'; code: string; error: ErrorView }

/** The card of one error code at a time. */
export interface ErrorCard {
  state: Readonly<ShallowRef<CardState>>
  /** Reads the card of `code`; an answer for a code that was left meanwhile is dropped. */
  show(code: string): Promise<void>
  /** Puts a card there that came with a list, until the next `show`. */
  put(card: ErrorCodeCard): void
  /** Keeps the operator's own note. Null when it was kept, else why not. */
  saveNote(note: string): Promise<ErrorView | null>
  close(): void
}

export function createErrorCard(client: Pick<Client, 'errorCodes'>): ErrorCard {
  const state = shallowRef<CardState>({ kind: 'idle' })
  let latest = 0

  return {
    state,
    async show(code) {
      const mine = ++latest
      state.value = { kind: 'loading', code }
      const answer = await attempt(client.errorCodes.get({ code }))
      if (mine !== latest) return
      state.value = answer.ok
        ? { kind: 'ready', card: answer.value }
        : { kind: 'failed', code, error: answer.error }
    },
    put(card) {
      latest++
      state.value = { kind: 'ready', card }
    },
    async saveNote(note) {
      if (state.value.kind !== 'ready') return null
      const { code } = state.value.card
      const mine = latest
      const answer = await attempt(client.errorCodes.setNote({ code, note }))
      if (answer.ok && mine === latest) state.value = { kind: 'ready', card: answer.value }
      return answer.ok ? null : answer.error
    },
    close() {
      latest++
      state.value = { kind: 'idle' }
    },
  }
}
