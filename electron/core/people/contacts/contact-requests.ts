import type { AppError } from '../../../contract/errors.ts'
import { type StoreRow, changedHere, marks, stateOf } from '../../../jobs/contact-store/store-types.ts'
import { readTagsJson } from '../../../lib/tags-json.ts'
import type { ContactBody } from '../outbox/operations.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import type { NewItem } from '../outbox/stored-item.ts'
import type { ContactStore } from '../contact-store/contact-store-client.ts'

/**
 * Whether the service has an outdated record of a contact, because it changed here or replacing the record
 * failed. A push then creates a new record and deletes the old one.
 */
export function isReplaced(row: StoreRow): boolean {
  if (row.serviceId === null) return false
  const state = stateOf(row)
  return state === 'service' ? (row.marks & changedHere) !== 0 : state === 'failed' || state === 'discarded'
}

/** Why a push skips a contact; null if it goes. */
export function leftOut(row: StoreRow): string | null {
  if (row.marks & marks.dnc) return 'dnc'
  if (row.marks & marks.held) return 'held'
  const state = stateOf(row)
  // The stored tags are unreadable, so the service would get something else.
  if (readTagsJson(row.tagsJson) === null) return 'tags-unreadable'
  if (isReplaced(row)) return null
  if (state === 'service' || state === 'deleting') return 'already-on-service'
  if (state === 'unknown') return 'unknown'
  return state === 'waiting' || state === 'in-flight' ? 'waiting' : null
}

/**
 * Whether the service may reject a contact for its missing name. The spec doesn't say which fields are required,
 * so the dialog lets the operator push such contacts anyway (`leaveOutNameless`).
 */
export const isNameless = ({ name }: StoreRow): boolean => name.trim() === ''

const bodyOf = (row: StoreRow): ContactBody => ({
  name: row.name,
  phone: `+${row.digits}`,
  email: row.email,
  tags: readTagsJson(row.tagsJson) ?? {},
})

const createItem = (row: StoreRow): NewItem => ({
  operation: 'create-contact',
  name: row.name,
  phone: `+${row.digits}`,
  contactId: row.id,
  serviceId: null,
  body: bodyOf(row),
  afterId: null,
})

const deleteItem = (row: StoreRow, serviceId: string | null, afterId: number | null): NewItem => ({
  ...createItem(row),
  operation: 'delete-contact',
  serviceId,
  body: null,
  afterId,
})

export function createContactRequests({
  contactStore,
  outbox,
  blockedBecause,
}: {
  contactStore: Pick<ContactStore, 'trash'>
  outbox: OutboxService
  /** Why a number must not be contacted now; null if it may. */
  blockedBecause: (digits: number) => AppError | null
}) {
  /** Queues the creation of contacts that may go. Returns how many. */
  function pushRows(batchId: string, rows: StoreRow[], leaveOutNameless: boolean): number {
    // The contact may not show its queued requests yet.
    const pushed = rows.filter(
      (row) =>
        leftOut(row) === null &&
        !(leaveOutNameless && isNameless(row)) &&
        outbox.openOfContact(row.id).length === 0 &&
        outbox.unappliedOfContact(row.id) === null,
    )
    const created = pushed.filter((row) => !isReplaced(row))
    outbox.add(batchId, created.map(createItem))
    // The number may have been blocked since it was marked. Then the old record stays too.
    const replaced = pushed.filter((row) => isReplaced(row) && blockedBecause(row.digits) === null)
    for (const row of replaced) queueReplacement(batchId, row, row)
    return created.length + replaced.length
  }

  /** Queues the deletion of contacts on the service and removes the others at once. Returns both counts. */
  async function deleteRows(
    batchId: string,
    rows: StoreRow[],
  ): Promise<{ marked: number; requested: number }> {
    const toTrash: number[] = []
    const items: NewItem[] = []
    const deleted = rows.flatMap((row) => {
      const open = outbox.openOfContact(row.id)
      if (open.some(({ operation }) => operation === 'delete-contact')) return []
      return { row, create: open.find(({ operation }) => operation === 'create-contact') }
    })
    // One commit for all: a commit each would delay the pages.
    const withdrawn = new Set(outbox.withdraw(deleted.flatMap(({ create }) => create?.id ?? [])))
    for (const { row, create } of deleted) {
      const isWithdrawn = create !== undefined && withdrawn.has(create.id)
      const serviceId = outbox.unappliedOfContact(row.id)?.serviceId ?? row.serviceId
      if (create && !isWithdrawn) {
        if (create.state !== 'unknown') items.push(deleteItem(row, null, create.id))
      } else if (serviceId !== null) items.push(deleteItem(row, serviceId, null))
      else toTrash.push(row.id)
    }
    outbox.add(batchId, items)
    if (toTrash.length > 0) await contactStore.trash(toTrash, batchId)
    return { marked: toTrash.length + items.length, requested: items.length }
  }

  /** Replaces the contact's waiting requests: queues a new record, and the deletion of the outdated one. */
  function queueEdit(before: StoreRow, row: StoreRow): void {
    const { batchId } = outbox.begin({
      kind: 'edit',
      title: { key: 'batch.edit', name: row.name || `+${row.digits}` },
    })
    outbox.withdraw(outbox.openOfContact(row.id).map(({ id }) => id))
    if (before.serviceId === null) outbox.add(batchId, [createItem(row)])
    else queueReplacement(batchId, before, row)
    outbox.go()
  }

  function queueReplacement(batchId: string, before: StoreRow, row: StoreRow): void {
    const old = { ...deleteItem(before, before.serviceId, null), contactId: null, oldOf: row.id }
    if (row.digits === before.digits) {
      // A service with unique numbers would reject the new record while the old one exists.
      const [removed] = outbox.add(batchId, [old])
      outbox.add(batchId, [{ ...createItem(row), afterId: removed! }])
    } else {
      const [created] = outbox.add(batchId, [createItem(row)])
      outbox.add(batchId, [{ ...old, afterId: created! }])
    }
  }

  return { pushRows, deleteRows, queueEdit }
}
