import type { Phrase } from '../../contract/phrases.ts'
import { otherReading, otherReadingReason } from '../../lib/phone/other-reading.ts'
import { openReader } from '../../database/open.ts'
import { createHashedHolds } from './hashed-holds.ts'
import { loadNumbers, type NumberList } from './number-set.ts'
import type { JobFiles } from '../run/job-control.ts'

/** Numbers not to contact: on the offline DNC copy, or on local hold. */
export interface BlockedNumbers {
  dnc: NumberList
  held: NumberList
}

/** Where a number is blocked, DNC first. Null when it isn't, and for 0. */
export function blockedBy({ dnc, held }: BlockedNumbers, digits: number): 'dnc' | 'hold' | null {
  if (digits === 0) return null
  return dnc.has(digits) ? 'dnc' : held.has(digits) ? 'hold' : null
}

/**
 * Checks the other reading of a text: without its plus it may be an international number. Null when that isn't
 * blocked.
 */
export function otherBlocked(
  lists: BlockedNumbers,
  text: string,
  read: number,
): { digits: number; by: 'dnc' | 'hold'; reason: Phrase } | null {
  const digits = otherReading(text, read)
  const by = blockedBy(lists, digits)
  return by && { digits, by, reason: otherReadingReason(digits, by) }
}

/** Selects every number on the DNC list, as digits. */
export const dncDigitsSql =
  'SELECT DISTINCT digits FROM dnc_entries WHERE digits IS NOT NULL AND gone_ms IS NULL'
const heldSql = 'SELECT DISTINCT digits FROM holds WHERE digits IS NOT NULL AND ended_ms IS NULL'

/** Reads the current lists. */
export const loadBlocked = ({
  cacheFile,
  stateFile,
}: Pick<JobFiles, 'cacheFile' | 'stateFile'>): BlockedNumbers => ({
  dnc: loadNumbers(cacheFile, dncDigitsSql),
  held: withHashed(loadNumbers(stateFile, heldSql), stateFile),
})

/** Includes numbers on hold as a hash. The reader closes with the job's thread. */
function withHashed(held: NumberList, stateFile: string): NumberList {
  const { db, close } = openReader(stateFile)
  const hashed = createHashedHolds(db)
  if (hashed.size > 0) return { has: (digits) => held.has(digits) || hashed.sinceMs(digits) !== null }
  close()
  return held
}
