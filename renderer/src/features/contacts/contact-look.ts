import type { ContactReplacing, ContactRow } from '#contract/people/contacts.ts'
import { blockOf } from '../../shared/format/dnc-list.ts'
import { type StatusLook, statusLook } from '../../shared/format/status.ts'
import { t } from './contacts.texts.ts'

/** Status of a contact. A failed push of a blocked number was stopped here, not rejected by the service. */
export function contactLook({ state, dnc, held }: Pick<ContactRow, 'state' | 'dnc' | 'held'>): StatusLook {
  return statusLook('contact', state === 'failed' && (dnc || held) ? 'kept-back' : state)
}

/** What the service has while a record is replaced. */
export const replacingText = (replacing: ContactReplacing): string => t(`replacing.${replacing}Text`)

/** The mark of a row: the most important one, or null. */
export function contactMark(contact: ContactRow) {
  const { replacing, changedHere } = contact
  const block = blockOf(contact)
  if (block === 'dnc') return { tone: 'bad', text: t('cell.dnc'), hint: t('cell.onDnc') }
  if (block === 'held') return { tone: 'bad', text: t('cell.hold'), hint: t('cell.onHold') }
  if (block === 'maybe') return { tone: 'bad', text: t('cell.maybe'), hint: t('cell.maybeHint') }
  if (replacing) return { tone: 'warn', text: t(`replacing.${replacing}`), hint: replacingText(replacing) }
  if (changedHere) return { tone: 'warn', text: t('cell.changed'), hint: t('cell.changedHint') }
  return null
}
