import { columnOf, columnsFor } from '../../contract/people/column-order.ts'
import { unknownCountry } from '../../lib/phone/country-names.ts'
import { parseInCountry } from '../../lib/phone/parse-in-country.ts'
import { numbersWithin } from '../../lib/phone/possible-numbers.ts'
import type { ParsedPhone } from '../../lib/phone/parse-phone.ts'
import { createNumberText } from './area-code.ts'
import { countryOfRow } from './country-of-row.ts'
import { kindColumns, kindRank } from './column-titles.ts'
import type { ColumnTarget, ImportChoices } from '../../contract/people/imports.ts'

/** What says how a row's numbers are read. */
type RowChoices = Pick<ImportChoices, 'columns' | 'defaultRegion' | 'hasCountryCodes'>
type NumberChoices = RowChoices & Pick<ImportChoices, 'severalNumbers' | 'extensions' | 'unknownNumbers'>

/** The number that a fix takes from a refused text; 0 if none. */
function numberByFix(read: ParsedPhone & { ok: false }, choices: NumberChoices): number {
  const [first = 0] = read.numbers ?? []
  if (read.fault === 'several') return choices.severalNumbers === 'use-first' ? first : 0
  if (read.fault === 'extension') return choices.extensions === 'leave-out' ? first : 0
  return read.fault === 'possible' && choices.unknownNumbers === 'import' ? (read.possible?.[0] ?? 0) : 0
}

const isFax: ParsedPhone = { ok: false, fault: 'none', reason: { key: 'phone.fax' } }

/** Every number that a text holds. */
const numbersIn = (read: ParsedPhone): readonly number[] =>
  read.ok ? [read.digits] : [...(read.numbers ?? []), ...(read.possible ?? [])]

/** Reads a text of a row as dialled in the country that the row names, if any. */
function createRowParsing({ columns, defaultRegion: region, hasCountryCodes }: RowChoices) {
  const countryColumn = columnOf(columns, 'country')
  return (cells: readonly string[]) => {
    const country = countryOfRow(cells, countryColumn)
    return (text: string) => parseInCountry(text, country, { region, hasCountryCodes })
  }
}

/**
 * The columns of a row's number, in order. Where a cell beside each says the kind, a fax is skipped, and a mobile comes first unless the
 * mapping has another order than the file.
 */
function createColumnOrder(columns: readonly number[], header: readonly string[]) {
  const kinds = kindColumns(header)
  const kindOf = new Map(columns.flatMap((at) => (kinds[at]! >= 0 ? [[at, kinds[at]!] as const] : [])))
  if (kindOf.size === 0) return () => columns
  const isAsInFile = columns.every((at, place) => place === 0 || at > columns[place - 1]!)
  return (cells: readonly string[]) => {
    const ranked = columns.flatMap((at) => {
      const rank = kindRank(cells[kindOf.get(at) ?? -1] ?? '')
      return rank === null ? [] : [{ at, rank }]
    })
    return (isAsInFile ? ranked.toSorted((a, b) => a.rank - b.rank) : ranked).map(({ at }) => at)
  }
}

/**
 * Reads a row's number: the first readable one of its columns in order, else the first text. `digits` is 0 without one. `others`: what its
 * texts may mean besides, and its other numbers, as all are the same person's. `isNext`: an earlier column holds something unreadable.
 * Where one holds several numbers and no fix says which, the row has no number: a later column may be a landline.
 */
export function createNumberReading(choices: NumberChoices, header: readonly string[]) {
  const parsingOf = createRowParsing(choices)
  const textsOf = createNumberTexts(choices.columns, header)
  return (cells: readonly string[]) => {
    const parse = parsingOf(cells)
    const { texts, fax } = textsOf(cells)
    let first: { phone: string; parsed: ParsedPhone } | null = null
    let found: { phone: string; parsed: ParsedPhone; digits: number; isNext: boolean } | null = null
    const numbers: number[] = []
    let isOpen = false
    for (const phone of texts) {
      const parsed = parse(phone)
      const digits = parsed.ok ? parsed.digits : numberByFix(parsed, choices)
      if (digits !== 0 && !isOpen) found ??= { phone, parsed, digits, isNext: first !== null }
      else if (!found && !parsed.ok && parsed.fault === 'several') {
        isOpen = true
        first = { phone, parsed }
      }
      first ??= { phone, parsed }
      numbers.push(...numbersIn(parsed))
      if (parsed.ok && parsed.other !== 0) numbers.push(parsed.other)
    }
    if (found) return { ...found, others: numbers.filter((number) => number !== found.digits) }
    const none = fax === undefined ? { phone: '', parsed: parse('') } : { phone: fax, parsed: isFax }
    const { phone, parsed } = first ?? none
    return { phone, parsed, digits: 0, others: [], isNext: false }
  }
}

/** The texts of a row's numbers, in the order in which to try them. `fax`: the first number of a row whose numbers reach no phone. */
export function createNumberTexts(columns: readonly ColumnTarget[], header: readonly string[]) {
  const phones = columnsFor(columns, 'phone')
  const columnsOf = createColumnOrder(phones, header)
  const textOf = createNumberText(header)
  return (cells: readonly string[]) => {
    const filled = (places: readonly number[]) =>
      places.map((at) => textOf(cells, at)).filter((text) => text.trim() !== '')
    const texts = filled(columnsOf(cells))
    return { texts, fax: texts.length === 0 ? filled(phones)[0] : undefined }
  }
}

/** Every number of a row, in all its columns, its own number first, whether or not the row is imported. */
export function createNumbersOfRow(choices: RowChoices, header: readonly string[]) {
  const parsingOf = createRowParsing(choices)
  const columns = columnsFor(choices.columns, 'phone')
  const countryColumn = columnOf(choices.columns, 'country')
  const columnsOf = createColumnOrder(columns, header)
  const textOf = createNumberText(header)
  return (cells: readonly string[]): number[] => {
    const parse = parsingOf(cells)
    // A fax is last.
    const inOrder = new Set([...columnsOf(cells), ...columns])
    return [...inOrder].flatMap((at) => {
      const text = textOf(cells, at)
      const found = numbersIn(parse(text))
      if (found.length > 0) return found
      const country = countryOfRow(cells, countryColumn) ?? choices.defaultRegion
      return numbersWithin(text, country === unknownCountry ? null : country)
    })
  }
}
