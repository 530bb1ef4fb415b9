import { loadNumbers, type NumberList } from '../table/number-set.ts'
import type { JobFiles } from './protocol.ts'

/** Numbers that must not be contacted: on the copy of the Do Not Contact list, and held here. */
export interface BlockedNumbers {
  dnc: NumberList
  held: NumberList
}

const dncSql = 'SELECT DISTINCT digits FROM dnc_entries WHERE digits IS NOT NULL AND gone_ms IS NULL'
const heldSql = 'SELECT DISTINCT digits FROM holds WHERE digits IS NOT NULL AND ended_ms IS NULL'

/** Reads them as they are now. */
export const loadBlocked = ({
  cacheFile,
  stateFile,
}: Pick<JobFiles, 'cacheFile' | 'stateFile'>): BlockedNumbers => ({
  dnc: loadNumbers(cacheFile, dncSql),
  held: loadNumbers(stateFile, heldSql),
})
