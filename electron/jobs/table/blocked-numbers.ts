import type { Phrase } from '../../contract/phrases.ts'
import { type Database, openReader } from '../../database/open.ts'
import { endingModulus, type Reading } from '../../lib/phone/entry-readings.ts'
import { bareForm } from '../../lib/phone/read-digits.ts'
import type { JobFiles } from '../run/job-control.ts'
import { type BlockingList, numbersSql, ownOnlyNumbers, tracesSql } from './entry-readings.ts'
import { createHashedHolds } from './hashed-holds.ts'
import { createNumberList, createRangeList, numbersFrom, type NumberList } from './number-set.ts'

/** A list that blocks. `mayHave`: an unreadable entry may be the number. */
export interface BlockList extends NumberList {
  /** As `has`, for a number that a person has beside their own: others may share it. */
  hasOther(digits: number): boolean
  mayHave(digits: number): boolean
}

/** Numbers not to contact: on the offline DNC copy, or on local hold. */
export interface BlockedNumbers {
  dnc: BlockList
  held: BlockList
}

/** Why a number is not clear. `isSure` is false when an unreadable entry may be the number. */
export interface Hit {
  digits: number
  by: 'dnc' | 'hold'
  isSure: boolean
}

/** The first of a person's possible numbers that is not clear: blocked ones first, DNC before holds. */
export function blockedBy(
  { dnc, held }: BlockedNumbers,
  digits: number,
  others: readonly number[] = [],
): Hit | null {
  type Test = NumberList['has']
  const find = (by: Hit['by'], isSure: boolean, test: Test, testOther = test): Hit | null => {
    if (test(digits)) return { digits, by, isSure }
    const other = others.find(testOther)
    return other === undefined ? null : { digits: other, by, isSure }
  }
  return (
    find('dnc', true, dnc.has) ??
    find('hold', true, held.has, held.hasOther) ??
    find('dnc', false, dnc.mayHave) ??
    find('hold', false, held.mayHave)
  )
}

const hasCode = /^\D*[+＋]|^\s*00/

/** Why a text is not clear, when it isn't just its number that is listed. `read`: that number, 0 if it was refused. */
export function hitReason({ digits, by, isSure }: Hit, read: number, text = ''): Phrase | null {
  if (!isSure) return { key: by === 'dnc' ? 'phone.maybeOnDnc' : 'phone.maybeOnHold' }
  if (digits === read || (read === 0 && hasCode.test(text))) return null
  return { key: by === 'dnc' ? 'phone.otherOnDnc' : 'phone.otherOnHold', digits: String(digits) }
}

/** A test for what entries may mean besides the numbers that `has` knows: unreadable ones, and numbers without their country code. */
export function mayHaveFrom(db: Database, list: BlockingList, has: NumberList['has']): NumberList['has'] {
  const traces = db.prepare<[], Reading>(tracesSql(list)).all()
  if (traces.length === 0) return (digits) => bareForm(digits, has) !== 0
  const ranges = createRangeList(traces.filter(({ kind }) => kind === 'range'))
  const endings = createNumberList(
    Float64Array.from(traces.flatMap(({ kind, low }) => (kind === 'ending' ? [low] : []))),
  )
  const isTrace = (digits: number) => endings.has(digits % endingModulus) || ranges.has(digits)
  const isAny = (digits: number) => has(digits) || isTrace(digits)
  return (digits) => isTrace(digits) || bareForm(digits, isAny) !== 0
}

function loadList(file: string, list: BlockingList): BlockList {
  const { db, close } = openReader(file)
  try {
    const { has } = numbersFrom(db, numbersSql(list))
    const ownOnly = ownOnlyNumbers(db, list)
    const hasOther = (digits: number) => has(digits) && !ownOnly.has(digits)
    return { has, hasOther, mayHave: mayHaveFrom(db, list, has) }
  } finally {
    close()
  }
}

/** Reads the current lists. */
export const loadBlocked = ({
  cacheFile,
  stateFile,
}: Pick<JobFiles, 'cacheFile' | 'stateFile'>): BlockedNumbers => ({
  dnc: loadList(cacheFile, 'dnc'),
  held: withHashed(loadList(stateFile, 'held'), stateFile),
})

/** Includes numbers on hold as a hash. */
function withHashed(held: BlockList, stateFile: string): BlockList {
  const { db, close } = openReader(stateFile)
  try {
    const isHashed = createHashedHolds(db).toTest()
    return {
      ...held,
      has: (digits) => held.has(digits) || isHashed(digits),
      hasOther: (digits) => held.hasOther(digits) || isHashed(digits),
    }
  } finally {
    close()
  }
}
