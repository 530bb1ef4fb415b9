import type { OutboxOperation } from '../../contract/people/outbox.ts'
import { openReader } from '../../database/open.ts'
import { createOtherReadings } from '../contact-store/other-readings.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { blockedBy, loadBlocked } from '../table/blocked-numbers.ts'

/** Requests read between two looks for a cancel. */
const perPiece = 1_000

/** A test for requests whose recipients mustn't be contacted, by the current lists. Deletions always may. */
export function loadBlockedRecipients(files: JobFiles) {
  const lists = loadBlocked(files)
  const { db, close } = openReader(files.contactsFile)
  const otherReadings = createOtherReadings(db).ofMany()
  return {
    close,
    isBlocked(item: { operation: OutboxOperation; phone: string; others: readonly number[] }): boolean {
      if (item.operation === 'delete-contact') return false
      const digits = Number(item.phone.slice(1))
      return blockedBy(lists, digits, [...otherReadings(digits), ...item.others]) !== null
    },
  }
}

/** How many scheduled requests of a batch would be skipped now, because their recipients mustn't be contacted. */
export async function countToSkip(
  { batchId, ...files }: JobFiles & { batchId: string },
  control: Pick<JobControl, 'yieldToMessages'>,
): Promise<number> {
  const { isBlocked, close: closeLists } = loadBlockedRecipients(files)
  const { db, close } = openReader(files.stateFile)
  const scheduled = db.prepare<[string], { operation: OutboxOperation; phone: string; othersJson: string }>(
    `SELECT operation, phone, others_json AS othersJson FROM outbox WHERE batch_id = ? AND state = 'scheduled'`,
  )
  try {
    let [read, count] = [0, 0]
    for (const { othersJson, ...item } of scheduled.iterate(batchId)) {
      if (++read % perPiece === 0) await control.yieldToMessages()
      if (isBlocked({ ...item, others: JSON.parse(othersJson) as number[] })) count++
    }
    return count
  } finally {
    close()
    closeLists()
  }
}
