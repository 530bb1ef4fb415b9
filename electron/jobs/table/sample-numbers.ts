import { unknownCountry } from '../../lib/phone/country-names.ts'
import { guessReading, type ReadingGuess } from '../../lib/phone/guess-reading.ts'
import { carryTheirCode, parseInCountry } from '../../lib/phone/parse-in-country.ts'
import { callingCodes, planOf, regionsOf } from '../../lib/phone/numbering-plans.ts'
import type { JobControl } from '../run/job-control.ts'
import { createNumberText } from './area-code.ts'
import { countryOfRow } from './country-of-row.ts'
import { type GivenFormat, inspectTable } from './inspect-table.ts'
import { readTable } from './read-table.ts'

/** Rows kept of a file, evenly. */
const rowsKept = 2_000

export interface GuessOrder {
  source:
    | {
        file: string
        given: GivenFormat
        columns: readonly number[]
        countryColumn?: number | null | undefined
      }
    | { text: string }
  /** The region expected; null if unknown. */
  region: string | null
  /** See `guessReading`. */
  usual: string | null
}

/** The region of the calling code that titles such as “Mobile (+34)” give, else the one expected. */
function regionOfTitles(titles: readonly string[], region: string | null): string | null {
  const codes = new Set(
    titles.flatMap((title) => [...title.matchAll(/\+\s?(\d{1,3})(?!\d)/g)].map(([, code]) => code!)),
  )
  const [code = ''] = codes
  const isKnown = codes.size === 1 && callingCodes.includes(code)
  if (!isKnown || (region !== null && planOf(region).callingCode === code)) return region
  return regionsOf(code)[0] ?? region
}

/** Guesses how the numbers without a plus in a file's columns, or in a list with one number per line, are read. */
export async function guessNumbers(
  { source, region, usual }: GuessOrder,
  control: JobControl,
): Promise<ReadingGuess> {
  if ('text' in source) return guessReading(source.text.split(/\r\n|\r|\n/), region, usual)
  const { file, given, columns, countryColumn } = source
  const { format, header } = inspectTable(file, given)
  const expected = regionOfTitles(
    columns.map((at) => header[at] ?? ''),
    region,
  )
  const textOf = createNumberText(header)
  let kept: { text: string; country: string | null }[][] = []
  let step = 1
  await readTable(
    file,
    format,
    ({ cells, rowNumber }) => {
      if ((rowNumber - 1) % step !== 0) return
      const country = countryOfRow(cells, countryColumn)
      if (country === unknownCountry) return
      kept.push(columns.map((at) => ({ text: textOf(cells, at), country })))
      if (kept.length < 2 * rowsKept) return
      kept = kept.filter((_, at) => at % 2 === 0)
      step *= 2
    },
    () => control.checkpoint(),
  )
  const numbers = kept.flat()
  const located = numbers.filter(({ country }) => country !== null)
  const hasCountryCodes = carryTheirCode(located)
  // The countries that the column shows speak for the rows without one.
  const shown = located.flatMap(({ text, country }) => {
    const read = parseInCountry(text, country, { region: expected, hasCountryCodes })
    return read.ok ? read.e164 : []
  })
  const others = numbers.flatMap(({ text, country }) => (country === null ? text : []))
  const guess = guessReading([...others, ...shown], expected, usual)
  return located.length === 0 || guess.numbers > 0 || guess.reading === null
    ? guess
    : { ...guess, reading: { region: guess.reading.region, hasCountryCodes } }
}
