import type { ContactRow } from '#contract/contacts.ts'

/** What is filled in for one person and not sent yet. */
export interface SendOneDraft {
  templateKey: number | null
  channelId: string
  to: string
  contact: ContactRow | null
  values: Record<string, string>
}

const drafts = new Map<string, SendOneDraft>()

/** Drafts of the window, one for each connection: a way through another page, such as a sync of the list, takes nothing away. */
export const sendOneDrafts = {
  get: (connectionId: string): SendOneDraft =>
    drafts.get(connectionId) ?? { templateKey: null, channelId: '', to: '', contact: null, values: {} },
  put: (connectionId: string, draft: SendOneDraft): void => void drafts.set(connectionId, draft),
}
