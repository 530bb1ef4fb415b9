import { columnOf } from '../../contract/people/column-order.ts'
import type { ColumnTarget, CsvFormat } from '../../contract/people/imports.ts'
import { type Phrase, textIn } from '../../contract/phrases.ts'
import { openReader } from '../../database/open.ts'
import { isoTime } from '../../lib/iso-time.ts'
import type { Reading } from '../../lib/phone/guess-reading.ts'
import { unknownCountry } from '../../lib/phone/country-names.ts'
import type { ParsedPhone } from '../../lib/phone/parse-phone.ts'
import { parseInCountry } from '../../lib/phone/parse-in-country.ts'
import { numbersMeantBy, numbersWithin } from '../../lib/phone/possible-numbers.ts'
import { refusalBesideNumber, unclearRefusal } from '../table/consent-words.ts'
import {
  checkDecided,
  type ConsentChoices,
  type ConsentOrder,
  createSections,
  findConsent,
  refusalTest,
} from '../table/find-consent.ts'
import { createNumberTexts } from '../table/number-reading.ts'
import { countryOfRow } from '../table/country-of-row.ts'
import { readTable } from '../table/read-table.ts'
import { blockedBy, type Hit, hitReason, loadBlocked } from '../table/blocked-numbers.ts'
import { createOtherReadings } from '../contact-store/other-readings.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { createEntryReadings } from '../table/entry-readings.ts'
import { createTarget } from '../run/target-file.ts'
import { titlesOf } from '../run/csv-headers.ts'

/** Lines of a pasted list between pause checks. */
const pieceLines = 2_000

const isAlone = (cells: readonly string[]) => cells.filter((cell) => cell.trim() !== '').length === 1

interface Facts {
  reason: string | null
  sinceMs: number | null
}

export interface CheckOrder extends JobFiles {
  source:
    | {
        file: string
        format: CsvFormat
        columns: ColumnTarget[]
        header: readonly string[]
        consent: ConsentOrder['consent']
        /** What the operator decided on these. */
        decided?: ConsentChoices['consent'] | undefined
      }
    | { text: string }
  reading: Reading
  /** Whether a number not found is clear or unknown. */
  isFresh: boolean
  /** `clear` has the unknown numbers when the copy isn't fresh. `unknown`: those that an unreadable entry may be. */
  targets: { clear: string; blocked: string; unknown: string; unparsable: string }
}

/** Checks numbers against the offline copy and holds, writing four files. */
export async function checkNumbers(order: CheckOrder, control: JobControl) {
  const { source, reading, isFresh } = order
  const cache = openReader(order.cacheFile)
  const state = openReader(order.stateFile)
  const contacts = openReader(order.contactsFile)
  const otherReadings = createOtherReadings(contacts.db).ofMany()
  const [listed, held] = [createEntryReadings(cache.db, 'dnc'), createEntryReadings(state.db, 'held')]
  const entryOf = cache.db.prepare<[number], Facts>(
    'SELECT reason, created_ms AS sinceMs FROM dnc_entries WHERE id = ?',
  )
  const holdOf = state.db.prepare<[number], Facts>(
    'SELECT evidence AS reason, since_ms AS sinceMs FROM holds WHERE id = ?',
  )
  const targets = {
    clear: createTarget(order.targets.clear),
    blocked: createTarget(order.targets.blocked),
    unknown: createTarget(order.targets.unknown),
    unparsable: createTarget(order.targets.unparsable),
  }
  const { language = 'en' } = order
  targets.clear.row(titlesOf(isFresh ? ['input', 'phone'] : ['input', 'phone', 'verdict'], language))
  targets.blocked.row(titlesOf(['input', 'phone', 'reason', 'since', 'source'], language))
  targets.unknown.row(titlesOf(['input', 'phone', 'reason'], language))
  targets.unparsable.row(titlesOf(['row', 'input', 'reason'], language))
  let rows = 0
  let blocked = 0
  let refused = 0
  let unsure = 0
  let unparsable = 0
  let readableTwoWays = 0
  const counts = () => {
    const others = rows - blocked - unsure - unparsable
    return {
      rows,
      clear: isFresh ? others : 0,
      blocked,
      refused,
      notKnown: unsure + (isFresh ? 0 : others),
      maybeListed: unsure,
      unparsable,
      readableTwoWays,
    }
  }

  try {
    const { dnc, held: holds } = loadBlocked(order)
    // All numbers are what one text may mean.
    const lists = { dnc, held: { ...holds, hasOther: holds.has } }

    /**
     * Checks every number that a row's texts may mean, and those of its contact. A refused text is not clear anyway, so only what is sure
     * counts.
     */
    function hitOf(read: ParsedPhone, [first, ...others]: readonly number[]): Hit | null {
      if (first === undefined) return null
      const ofContact = read.ok ? otherReadings(read.digits) : []
      const hit = blockedBy(lists, first, [...others, ...ofContact])
      return read.ok || hit?.isSure ? hit : null
    }

    /** Reason and time of a blocked number. */
    function factsOf({ digits, by }: Hit): { reason: string; since: string } {
      const id = (by === 'dnc' ? listed : held).blocking(digits)
      const facts = id === undefined ? undefined : (by === 'dnc' ? entryOf : holdOf).get(id)
      return { reason: facts?.reason ?? '', since: isoTime(facts?.sinceMs ?? null) ?? '' }
    }

    /** What the file itself says no to. */
    let refusalOf: ReturnType<typeof refusalTest> = () => null
    /** Words beside a pasted number that may refuse. */
    let doubt: string | undefined

    /** Checks a row by the texts of its numbers: the first readable one counts, but a blocked one blocks the row. */
    function check(texts: readonly string[], sheetRow: number, country: string | null): void {
      rows++
      const all = (texts.length > 0 ? texts : ['']).map((text) => ({
        text,
        read: parseInCountry(text, country, reading),
      }))
      const first = all.find(({ read }) => read.ok) ?? all[0]!
      const { text: input, read } = first
      const digits = read.ok ? read.digits : 0
      if (read.ok && read.twoWays) readableTwoWays++
      const region = country === unknownCountry ? null : (country ?? reading.region)
      const meant = [first, ...all.filter((one) => one !== first)].flatMap((one) => [
        ...numbersMeantBy(one.text, one.read, region),
        ...(one.read.ok ? [] : numbersWithin(one.text, region)),
      ])
      const hit = hitOf(read, meant)
      const reason = hit && hitReason(hit, digits, input)
      if (hit?.isSure) {
        blocked++
        const facts = factsOf(hit)
        const said = reason ? textIn(language, reason) : facts.reason
        targets.blocked.row([input, digits || hit.digits, said, facts.since, hit.by])
        return
      }
      const refusal = refusalOf(meant)
      if (refusal) {
        blocked++
        refused++
        targets.blocked.row([input, digits || refusal.digits, refusal.said, '', 'file'])
      } else if (hit || (doubt !== undefined && meant.length > 0)) {
        unsure++
        targets.unknown.row([input, digits, reason ? textIn(language, reason) : doubt!])
      } else if (digits === 0) {
        unparsable++
        targets.unparsable.row([String(sheetRow), input, read.ok ? '' : textIn(language, read.reason)])
      } else targets.clear.row(isFresh ? [input, digits] : [input, digits, 'unknown'])
    }

    if ('text' in source) {
      let lineNumber = 0
      const sectionOf = createSections([{ to: 'phone' }], [])
      for (const line of source.text.split(/\r\n|\r|\n/)) {
        lineNumber++
        if (line.trim() === '') continue
        const section = sectionOf({ cells: [line], sheetRow: lineNumber })
        const said = section || refusalBesideNumber(line)
        refusalOf = ([digits]) => (said && digits ? { digits, said } : null)
        doubt = unclearRefusal(line)
        check([line.trim()], lineNumber, null)
        if (lineNumber % pieceLines === 0) {
          control.progress(rows, null, counts())
          await control.checkpoint()
        }
      }
    } else {
      const textsOf = createNumberTexts(source.columns, source.header)
      const country = columnOf(source.columns, 'country')
      const { region: defaultRegion, hasCountryCodes } = reading
      const choices = { ...source, defaultRegion, hasCountryCodes, consent: source.decided ?? [] }
      const refusing = { ...source, choices, language, unasked: 'skip' } as const
      // Its progress would be in bytes.
      const found = await findConsent(refusing, { ...control, progress: () => {} })
      checkDecided(found.columns, choices, source.header)
      refusalOf = refusalTest(found.skips, found.shared)
      await readTable(
        source.file,
        source.format,
        ({ cells, sheetRow, problem }) => {
          const { texts, fax } = textsOf(cells)
          // Its number may be anyone's in the row.
          const isOneText = problem !== null && source.columns.length > 1 && isAlone(cells)
          if (fax === undefined && !isOneText) return check(texts, sheetRow, countryOfRow(cells, country))
          rows++
          unparsable++
          const reason: Phrase = isOneText
            ? { key: 'row.malformed', problem: { key: problem } }
            : { key: 'phone.fax' }
          targets.unparsable.row([String(sheetRow), fax ?? cells.join(''), textIn(language, reason)])
        },
        async (done, total) => {
          // Progress in rows, estimated from bytes: the total is unknown until the end.
          control.progress(rows, done >= total ? rows : Math.round((rows * total) / done), counts())
          await control.checkpoint()
        },
      )
    }
    for (const target of Object.values(targets)) target.finish()
    return counts()
  } finally {
    for (const target of Object.values(targets)) target.abandon()
    cache.close()
    state.close()
    contacts.close()
  }
}
