import type { ContactSelection } from '#contract/people/contacts.ts'
import { shallowRef } from 'vue'

/** Contacts selected on the Contacts page for a bulk send. */
interface ChosenRecipients {
  selection: ContactSelection
  count: number
}

/** Passes the selection to the Templates page, which takes it once. */
const chosen = shallowRef<ChosenRecipients | null>(null)

export const chosenRecipients = {
  put: (next: ChosenRecipients): void => void (chosen.value = next),
  take(): ChosenRecipients | null {
    const taken = chosen.value
    chosen.value = null
    return taken
  },
}
