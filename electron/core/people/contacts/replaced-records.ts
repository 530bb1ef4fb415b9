import type { ContactReplacing, ContactState } from '../../../contract/contacts.ts'
import type { OldRecord } from '../outbox/outbox.repository.ts'

/** Of several records that were left behind, the one that needs a person most is told. */
const gravest: readonly ContactReplacing[] = ['unknown', 'both', 'none', 'old']

/**
 * What the service has of a contact, by the deletions of its records of before: it can change no record, so that one that is replaced is
 * there twice for a while, or not at all. Null where nothing is left behind. Rests on the contact's state and id as the book has them.
 */
export function replacingOf(
  { state, serviceId }: { state: ContactState; serviceId: string | null },
  old: readonly OldRecord[],
): ContactReplacing | null {
  const isOnItsWay = state === 'waiting' || state === 'in-flight'
  const gone = new Set(old.filter((record) => record.state === 'done').map((record) => record.serviceId))
  const found = old.map((record): ContactReplacing | null => {
    if (record.state === 'unknown') return 'unknown'
    if (record.state === 'done') return isOnItsWay && serviceId === null ? 'none' : null
    // The record that the contact has is no old one: its replacement was taken back.
    // What another deletion ended is not there any more.
    if (gone.has(record.serviceId)) return null
    if (state === 'service')
      return record.serviceId !== null && record.serviceId !== serviceId ? 'both' : null
    return isOnItsWay && record.state !== 'cancelled' ? 'old' : null
  })
  return gravest.find((one) => found.includes(one)) ?? null
}
