import { textIn } from '../../contract/phrases.ts'
import { openReader } from '../../database/open.ts'
import { isoTime } from '../../lib/iso-time.ts'
import type { PhoneOptions } from '../../lib/phone/parse-phone.ts'
import { writtenDigits } from '../../lib/phone/written-digits.ts'
import { type NumberColumn, openNumberColumn, type TakeNumber, takeNumber } from '../table/number-column.ts'
import type { TableFormat } from '../table/read-table.ts'
import { blockedBy, loadBlocked, otherBlocked } from '../table/blocked-numbers.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { createTarget } from '../run/target-file.ts'
import { titlesOf } from '../run/csv-headers.ts'

/** Lines of a pasted list between pause checks. */
const pieceLines = 2_000

export interface CheckOrder extends JobFiles {
  source: { file: string; format: TableFormat; column: number } | { text: string }
  reading: PhoneOptions
  /** Whether a number not found is clear or unknown. */
  isFresh: boolean
  targets: { clear: string; blocked: string; unparsable: string }
}

/** Checks numbers against the offline copy and holds, writing three files. `ahead` is for `openNumberColumn`. */
export async function checkNumbers(
  order: CheckOrder,
  control: JobControl,
  ahead?: Parameters<typeof openNumberColumn>[1],
) {
  const { source, reading: options, isFresh } = order
  const cache = openReader(order.cacheFile)
  const state = openReader(order.stateFile)
  const entryOf = cache.db.prepare<[number], { reason: string | null; createdMs: number | null }>(
    'SELECT reason, created_ms AS createdMs FROM dnc_entries WHERE digits = ? AND digits IS NOT NULL AND gone_ms IS NULL LIMIT 1',
  )
  const holdOf = state.db.prepare<[number], { evidence: string; sinceMs: number }>(
    'SELECT evidence, since_ms AS sinceMs FROM holds WHERE digits = ? AND ended_ms IS NULL LIMIT 1',
  )
  const targets = {
    clear: createTarget(order.targets.clear),
    blocked: createTarget(order.targets.blocked),
    unparsable: createTarget(order.targets.unparsable),
  }
  const { language = 'en' } = order
  targets.clear.row(titlesOf(isFresh ? ['input', 'phone'] : ['input', 'phone', 'verdict'], language))
  targets.blocked.row(titlesOf(['input', 'phone', 'reason', 'since', 'source'], language))
  targets.unparsable.row(titlesOf(['row', 'input', 'reason'], language))
  let rows = 0
  let blocked = 0
  let unparsable = 0
  let readableTwoWays = 0
  const counts = () => {
    const others = rows - blocked - unparsable
    return {
      rows,
      clear: isFresh ? others : 0,
      blocked,
      notKnown: isFresh ? 0 : others,
      unparsable,
      readableTwoWays,
    }
  }

  let column: NumberColumn | null = null
  try {
    // Starts reading a large file while the lists load.
    if ('file' in source) column = openNumberColumn({ ...source, ...options }, ahead)
    const lists = loadBlocked(order)

    /** A number outside every country's plan may still be listed. */
    function blockedAsWritten(input: string): number {
      const digits = writtenDigits(input.trim().replace(/^00(?=[1-9])/, '+'))
      return blockedBy(lists, digits) ? digits : 0
    }

    /** Reason and time of a blocked number. */
    function factsOf(digits: number, by: 'dnc' | 'hold'): { reason: string; since: string } {
      const entry = by === 'dnc' ? entryOf.get(digits) : undefined
      const hold = by === 'hold' ? holdOf.get(digits) : undefined
      return {
        reason: entry?.reason ?? hold?.evidence ?? '',
        since: isoTime(entry?.createdMs ?? hold?.sinceMs ?? null) ?? '',
      }
    }

    const check: TakeNumber = (input, rowNumber, read, reason, twoWays) => {
      rows++
      if (twoWays) readableTwoWays++
      const digits = read === 0 ? blockedAsWritten(input) : read
      const by = blockedBy(lists, digits)
      if (by) {
        blocked++
        const facts = factsOf(digits, by)
        targets.blocked.row([input, digits, facts.reason, facts.since, by])
        return
      }
      const other = otherBlocked(lists, input, digits)
      if (other) {
        blocked++
        const { since } = factsOf(other.digits, other.by)
        targets.blocked.row([input, digits || other.digits, textIn(language, other.reason), since, other.by])
      } else if (digits === 0) {
        unparsable++
        targets.unparsable.row([String(rowNumber), input, reason ? textIn(language, reason) : ''])
      } else targets.clear.row(isFresh ? [input, digits] : [input, digits, 'unknown'])
    }

    if ('text' in source) {
      let lineNumber = 0
      for (const line of source.text.split(/\r\n|\r|\n/)) {
        lineNumber++
        if (line.trim() === '') continue
        takeNumber(line.trim(), lineNumber, options, check)
        if (lineNumber % pieceLines === 0) {
          control.progress(rows, null, counts())
          await control.checkpoint()
        }
      }
    }
    await column?.read(check, async (done, total) => {
      // Progress in rows, estimated from bytes: the total is unknown until the end.
      control.progress(rows, done >= total ? rows : Math.round((rows * total) / done), counts())
      await control.checkpoint()
    })
    for (const target of Object.values(targets)) target.finish()
    return counts()
  } finally {
    for (const target of Object.values(targets)) target.abandon()
    cache.close()
    state.close()
    await column?.close()
  }
}
