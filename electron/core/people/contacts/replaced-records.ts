import type { ContactReplacing, ContactState } from '../../../contract/people/contacts.ts'
import type { OldRecord } from '../outbox/stored-item.ts'

/** With several old records, only the most urgent one is shown. */
const mostUrgentFirst: readonly ContactReplacing[] = ['unknown', 'both', 'none', 'old']

/**
 * The service's records of a contact whose record is being replaced. Records can't be changed, so for a while the service has both, or
 * none. Null when no old record is left. `state` and `serviceId` are the contact's own.
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
    // Not an old record: either it is the contact's current one, because its replacement was cancelled, or
    // another deletion removed it.
    if (gone.has(record.serviceId)) return null
    if (state === 'service')
      return record.serviceId !== null && record.serviceId !== serviceId ? 'both' : null
    return isOnItsWay && record.state !== 'cancelled' ? 'old' : null
  })
  return mostUrgentFirst.find((one) => found.includes(one)) ?? null
}
