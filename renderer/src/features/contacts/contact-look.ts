import type { ContactRow } from '#contract/contacts.ts'
import { type StatusLook, statusLook } from '../../shared/format/status.ts'

/**
 * How the state of a contact is drawn. A push that came to nothing was refused by the service, given up by a person, or never left: one
 * of a number that is on the Do Not Contact list or held is kept back here, and nobody refused it.
 */
export function contactLook({ state, dnc, held }: Pick<ContactRow, 'state' | 'dnc' | 'held'>): StatusLook {
  return statusLook('contact', state === 'failed' && (dnc || held) ? 'kept-back' : state)
}
