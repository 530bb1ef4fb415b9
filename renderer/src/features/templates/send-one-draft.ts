import type { ContactRow } from '#contract/people/contacts.ts'

/** A single send, filled in but not sent. */
export interface SendOneDraft {
  templateKey: number | null
  channelId: string
  to: string
  contact: ContactRow | null
  values: Record<string, string>
}

const drafts = new Map<string, SendOneDraft>()

/** One draft per connection; it survives leaving the page, for example to sync the DNC list. */
export const sendOneDrafts = {
  get: (connectionId: string): SendOneDraft =>
    drafts.get(connectionId) ?? { templateKey: null, channelId: '', to: '', contact: null, values: {} },
  put: (connectionId: string, draft: SendOneDraft): void => void drafts.set(connectionId, draft),
}
