/** Drafts kept at once; the one touched longest ago goes first. */
const mostDrafts = 50

const drafts = new Map<string, string>()

/**
 * Notes being typed, by connection and code: a card that is closed by a click beside it, or left for another, does not take away what
 * was typed in it. Lives as long as the window.
 */
export const noteDrafts = {
  get: (key: string): string | undefined => drafts.get(key),
  /** Keeps `draft`, or forgets it when it is what is saved. */
  put(key: string, draft: string, saved: string): void {
    drafts.delete(key)
    if (draft !== saved) drafts.set(key, draft)
    if (drafts.size > mostDrafts) drafts.delete(drafts.keys().next().value!)
  },
}
