import { useLocalStorage } from '@vueuse/core'

/** Drafts kept at once; the oldest goes first. */
const mostDrafts = 50

const kept = useLocalStorage<Record<string, unknown>>('switchboard.drafts', {}, { shallow: true })
const keyOf = (connectionId: string, name: string) => `${connectionId}/${name}`

/**
 * Unsaved notes and templates of each connection, by name. They outlive page, window and restart, so leaving asks nothing. Stored as
 * plain text with the look: never a secret or a recipient.
 */
export const drafts = {
  get: <T>(connectionId: string, name: string): T | undefined =>
    kept.value[keyOf(connectionId, name)] as T | undefined,
  /** Stores `draft`; undefined removes it. */
  put(connectionId: string, name: string, draft: unknown): void {
    const { [keyOf(connectionId, name)]: _before, ...others } = kept.value
    const next = draft === undefined ? others : { ...others, [keyOf(connectionId, name)]: draft }
    kept.value = Object.fromEntries(Object.entries(next).slice(-mostDrafts))
  },
  /** For a removed connection. */
  forget(connectionId: string): void {
    kept.value = Object.fromEntries(
      Object.entries(kept.value).filter(([key]) => !key.startsWith(keyOf(connectionId, ''))),
    )
  },
}
