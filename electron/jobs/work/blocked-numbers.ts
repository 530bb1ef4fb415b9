import { otherReading, otherReadingReason } from '../../lib/phone/other-reading.ts'
import { openReader } from '../../database/open.ts'
import { createHashedHolds } from '../table/hashed-holds.ts'
import { loadNumbers, type NumberList } from '../table/number-set.ts'
import type { JobFiles } from './protocol.ts'

/** Numbers that must not be contacted: on the copy of the Do Not Contact list, and held here. */
export interface BlockedNumbers {
  dnc: NumberList
  held: NumberList
}

/** Where a number is blocked: on the list, or else here. Null where it is not, and for 0. */
export function blockedBy({ dnc, held }: BlockedNumbers, digits: number): 'dnc' | 'hold' | null {
  if (digits === 0) return null
  return dnc.has(digits) ? 'dnc' : held.has(digits) ? 'hold' : null
}

/** As what else a text that was read as `read` is blocked: a number without its plus may be an international one. Null where it is not. */
export function otherBlocked(
  lists: BlockedNumbers,
  text: string,
  read: number,
): { digits: number; by: 'dnc' | 'hold'; reason: string } | null {
  const digits = otherReading(text, read)
  const by = blockedBy(lists, digits)
  return by && { digits, by, reason: otherReadingReason(digits, by) }
}

const dncSql = 'SELECT DISTINCT digits FROM dnc_entries WHERE digits IS NOT NULL AND gone_ms IS NULL'
const heldSql = 'SELECT DISTINCT digits FROM holds WHERE digits IS NOT NULL AND ended_ms IS NULL'

/** Reads them as they are now. */
export const loadBlocked = ({
  cacheFile,
  stateFile,
}: Pick<JobFiles, 'cacheFile' | 'stateFile'>): BlockedNumbers => ({
  dnc: loadNumbers(cacheFile, dncSql),
  held: withHashed(loadNumbers(stateFile, heldSql), stateFile),
})

/** Includes numbers on hold as a hash. The reader closes with the job's thread. */
function withHashed(held: NumberList, stateFile: string): NumberList {
  const { db, close } = openReader(stateFile)
  const hashed = createHashedHolds(db)
  if (hashed.size > 0)
    return {
      has: (digits) => held.has(digits) || hashed.sinceMs(digits) !== null,
      size: held.size + hashed.size,
    }
  close()
  return held
}
