import type { ContactReplacing, ContactRow } from '#contract/contacts.ts'
import { type StatusLook, statusLook } from '../../shared/format/status.ts'

/**
 * How the state of a contact is drawn. A push that came to nothing was refused by the service, given up by a person, or never left: one
 * of a number that is on the Do Not Contact list or held is kept back here, and nobody refused it.
 */
export function contactLook({ state, dnc, held }: Pick<ContactRow, 'state' | 'dnc' | 'held'>): StatusLook {
  return statusLook('contact', state === 'failed' && (dnc || held) ? 'kept-back' : state)
}

/** A record that is being replaced, as a row marks it, and what the service has meanwhile. */
export const replacingWords: Record<ContactReplacing, { mark: string; text: string }> = {
  old: {
    mark: 'replacing',
    text: 'It was changed here. The service has the record of before until the outbox has made the new one.',
  },
  none: {
    mark: 'replacing',
    text: 'The service has deleted the record of before, and the new one is not made yet: right now it does not have this contact.',
  },
  both: {
    mark: 'there twice',
    text: 'The service has its new record and still the one of before, whose deletion waits or came to nothing.',
  },
  unknown: {
    mark: 'unsettled',
    text: 'Nobody knows whether the service has deleted the record of before. Look there and settle it in the outbox.',
  },
}
