import type { ContactSelection } from '#contract/contacts.ts'
import { shallowRef } from 'vue'

/** Contacts that were chosen on one page to be written to on another. */
export interface ChosenRecipients {
  selection: ContactSelection
  count: number
}

/** Handed from the contacts to the page that sends; taken once, so that it does not come back later. */
const chosen = shallowRef<ChosenRecipients | null>(null)

export const chosenRecipients = {
  put: (next: ChosenRecipients): void => void (chosen.value = next),
  take(): ChosenRecipients | null {
    const taken = chosen.value
    chosen.value = null
    return taken
  },
}
