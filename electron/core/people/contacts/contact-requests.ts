import type { AppError } from '../../../contract/errors.ts'
import type { ContactState } from '../../../contract/contacts.ts'
import { type BookRow, changedHere, contactStates, marks } from '../../../jobs/book/book-types.ts'
import { readTagsJson } from '../../../lib/tags-json.ts'
import type { ContactBody } from '../outbox/operations.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import type { NewItem } from '../outbox/outbox.repository.ts'
import type { Book } from '../book/book-client.ts'

export const stateOf = (row: BookRow): ContactState => contactStates[row.state] ?? 'local'

/**
 * Whether the service has a contact as it was before: it was changed here, or making it anew there came to nothing. A push makes it anew
 * and ends the record that it has.
 */
export function isReplaced(row: BookRow): boolean {
  if (row.serviceId === null) return false
  const state = stateOf(row)
  return state === 'service' ? (row.marks & changedHere) !== 0 : state === 'failed' || state === 'discarded'
}

/** Why a push leaves a contact out; null when it goes. */
export function leftOut(row: BookRow): string | null {
  if (row.marks & marks.dnc) return 'dnc'
  if (row.marks & marks.held) return 'held'
  const state = stateOf(row)
  // What the service would get in their place is not what is stored.
  if (readTagsJson(row.tagsJson) === null) return 'tags-unreadable'
  if (isReplaced(row)) return null
  if (state === 'service' || state === 'deleting') return 'already-on-service'
  if (state === 'unknown') return 'unknown'
  return state === 'waiting' || state === 'in-flight' ? 'waiting' : null
}

/**
 * Whether the service is expected to refuse a contact for want of a name. Assumed: the specification lists `name` among the fields and not
 * which of them may be left out. The operator pushes such contacts all the same by the box in the dialog (`leaveOutNameless`).
 */
export const isNameless = ({ name }: BookRow): boolean => name.trim() === ''

const bodyOf = (row: BookRow): ContactBody => ({
  name: row.name,
  phone: `+${row.digits}`,
  email: row.email,
  tags: readTagsJson(row.tagsJson) ?? {},
})

const createItem = (row: BookRow): NewItem => ({
  operation: 'create-contact',
  name: row.name,
  phone: `+${row.digits}`,
  contactId: row.id,
  serviceId: null,
  body: bodyOf(row),
  afterId: null,
})

const deleteItem = (row: BookRow, serviceId: string | null, afterId: number | null): NewItem => ({
  ...createItem(row),
  operation: 'delete-contact',
  serviceId,
  body: null,
  afterId,
})

/** What is done to contacts, as requests to the service in the outbox. */
export function createContactRequests({
  book,
  outbox,
  blockedBecause,
}: {
  book: Pick<Book, 'trash'>
  outbox: OutboxService
  /** Why a number must not be sent to now, null when it may. */
  blockedBecause: (digits: number) => AppError | null
}) {
  /** Queues the creation of those that may go, those without a name left out where told. Answers how many. */
  function pushRows(batchId: string, rows: BookRow[], leaveOutNameless: boolean): number {
    // The book may not have been told yet of what is queued already.
    const wanted = rows.filter(
      (row) =>
        leftOut(row) === null &&
        !(leaveOutNameless && isNameless(row)) &&
        outbox.openOfContact(row.id).length === 0 &&
        outbox.untoldOfContact(row.id) === null,
    )
    const created = wanted.filter((row) => !isReplaced(row))
    outbox.add(batchId, created.map(createItem))
    // The number may have come onto the list since it was marked: then the old record stays, too.
    const replaced = wanted.filter((row) => isReplaced(row) && blockedBecause(row.digits) === null)
    for (const row of replaced) queueReplacement(batchId, row, row, row.serviceId, null)
    return created.length + replaced.length
  }

  /** Queues the deletion of those that are at the service and takes the others out of the book. Answers how many, and of how many the service is asked. */
  async function deleteRows(
    batchId: string,
    rows: BookRow[],
  ): Promise<{ marked: number; requested: number }> {
    const toTrash: number[] = []
    const items: NewItem[] = []
    const wanted = rows.flatMap((row) => {
      const open = outbox.openOfContact(row.id)
      if (open.some(({ operation }) => operation === 'delete-contact')) return []
      return { row, create: open.find(({ operation }) => operation === 'create-contact') }
    })
    // All in one commit: one for each would hold up the pages.
    const withdrawn = new Set(outbox.withdraw(wanted.flatMap(({ create }) => create?.id ?? [])))
    for (const { row, create } of wanted) {
      const isWithdrawn = create !== undefined && withdrawn.has(create.id)
      const serviceId = outbox.untoldOfContact(row.id)?.serviceId ?? row.serviceId
      if (create && !isWithdrawn) {
        if (create.state !== 'unknown') items.push(deleteItem(row, null, create.id))
      } else if (serviceId !== null) items.push(deleteItem(row, serviceId, null))
      else toTrash.push(row.id)
    }
    outbox.add(batchId, items)
    if (toTrash.length > 0) await book.trash(toTrash, batchId)
    return { marked: toTrash.length + items.length, requested: items.length }
  }

  /** Queues what brings the service from a contact as it was to what it is: the new record, and the end of the old one. */
  function queueEdit(before: BookRow, row: BookRow): void {
    const { batchId } = outbox.begin({ kind: 'edit', title: `Change of ${row.name || `+${row.digits}`}` })
    // A push may have queued it as it was while the book was waited for, and that may even have left.
    const late = outbox.openOfContact(row.id).filter(({ id }) => outbox.withdraw([id]).length === 0)
    const sent = late.find(({ operation }) => operation === 'create-contact')
    if (sent) queueReplacement(batchId, before, row, null, sent.id)
    else if (before.serviceId !== null) queueReplacement(batchId, before, row, before.serviceId, null)
    else outbox.add(batchId, [createItem(row)])
    outbox.go()
  }

  /** Queues the new record of a contact and the end of the old one: of `serviceId`, or of what the item `afterId` makes. */
  function queueReplacement(
    batchId: string,
    before: BookRow,
    row: BookRow,
    serviceId: string | null,
    afterId: number | null,
  ): void {
    const old = { ...deleteItem(before, serviceId, afterId), contactId: null, oldOf: row.id }
    if (row.digits === before.digits) {
      // A service that takes each number once would refuse the new record while the old one is there.
      const [removed] = outbox.add(batchId, [old])
      outbox.add(batchId, [{ ...createItem(row), afterId: removed! }])
    } else {
      const [created] = outbox.add(batchId, [createItem(row)])
      outbox.add(batchId, [{ ...old, afterId: old.afterId ?? created! }])
    }
  }

  return { pushRows, deleteRows, queueEdit }
}
