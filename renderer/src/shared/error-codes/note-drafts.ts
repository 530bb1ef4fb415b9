/** Drafts kept at once; the oldest goes first. */
const mostDrafts = 50

const drafts = new Map<string, string>()

/** Unsaved notes by connection and code, so that closing a card loses nothing. Kept until the window closes. */
export const noteDrafts = {
  get: (key: string): string | undefined => drafts.get(key),
  /** Stores `draft`, or removes it when it equals the saved note. */
  put(key: string, draft: string, saved: string): void {
    drafts.delete(key)
    if (draft !== saved) drafts.set(key, draft)
    if (drafts.size > mostDrafts) drafts.delete(drafts.keys().next().value!)
  },
}
