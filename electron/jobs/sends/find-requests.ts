import type { OutboxFilter } from '../../contract/people/outbox.ts'
import { openReader } from '../../database/open.ts'
import { addFold } from '../../database/text-functions.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { whereOf } from './outbox-filter.ts'

/** Requests looked at between two looks for a cancel. */
const perPiece = 50_000

/** How many requests match a filter with a text, and the ids below `cursor`, newest first, at most `limit`. */
export async function findRequests(
  { filter, cursor, limit, stateFile }: JobFiles & { filter: OutboxFilter; cursor?: number; limit: number },
  control: Pick<JobControl, 'yieldToMessages'>,
): Promise<{ ids: number[]; total: number }> {
  const { db, close } = openReader(stateFile)
  addFold(db)
  try {
    const { sql, params } = whereOf(filter)
    const find = db
      .prepare<unknown[], number>(
        `SELECT id FROM outbox WHERE ${sql.join(' AND ')} AND id > ? AND id <= ? ORDER BY id DESC`,
      )
      .pluck()
    const ids: number[] = []
    let total = 0
    let to = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM outbox').pluck().get()!
    for (; to > 0; to -= perPiece) {
      const found = find.all(...params, to - perPiece, to)
      total += found.length
      const left = cursor === undefined ? found : found.filter((id) => id < cursor)
      ids.push(...left.slice(0, Math.max(0, limit - ids.length)))
      await control.yieldToMessages()
    }
    return { ids, total }
  } finally {
    close()
  }
}
