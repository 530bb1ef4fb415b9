import type { ColumnTarget } from '../../contract/people/imports.ts'
import { isTitleOf } from '../../jobs/run/csv-headers.ts'
import {
  countryTitle,
  isKindOfNumber,
  isParentsPhone,
  isSecondName,
  isShortName,
  isWho,
  kindRank,
  mayBeNames,
  type TitleMeaning,
  titleMeaning,
} from '../../jobs/table/column-titles.ts'
import { consentKey, isConsentTitle, isVerdict } from '../../jobs/table/consent-words.ts'
import { reportColumns } from '../../jobs/table/rejected-rows.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import { fold } from '../../lib/fold.ts'
import { cleanNumber } from '../../lib/phone/clean-number.ts'
import { regionOfCountry } from '../../lib/phone/country-names.ts'
import { dateShape } from '../../lib/phone/number-shape.ts'

/** Longest tag key, in characters (the contract's limit). */
const tagKeyMax = 200
const phoneShape = /^['=" ]{0,3}\+?[\d\s().\-/]{6,20}['"]?$/
/** Words such as “mob” may come before the number, and a name in brackets behind it. */
const isPhoneShape = (cell: string) =>
  phoneShape.test(cell) ||
  (/\p{L}|ー/u.test(cell) && /\d{3}/.test(cell) && phoneShape.test(cleanNumber(cell).text))
/** One to five words of letters. */
const nameShape = /^\p{L}[\p{L}\p{M}'’.,-]*(?: [\p{L}\p{M}'’.,-]+){0,4}$/u
/** What else may name a person, such as `Ana Sol (2)` or `Dr. Roe / Room 4`: no ID or address. */
const personShape = /^(?!.*(?:[\p{L}\-#/]\d|[@_]))\p{L}[\p{L}.'’]/u
const countryCode = /^\p{L}{2,3}$/u
const callingCode = /^['=" ]{0,3}(?:\+|00)\d{1,3}"?$/
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Columns of our own export that are no contact data. */
const ours = [
  ...(['state', 'service_id', 'dnc', 'held', 'created_at', 'updated_at'] as const),
  ...reportColumns,
]
const isOurs = (title: string): boolean => isTitleOf(fold(title.trim()), ...ours)
/** A column of our own export with one tag: the title of `tag`, a dot, and the exact key, with its spaces and line breaks. */
const tagTitle = /^(\w+)\.([^]+)$/

function tagKeyOf(title: string): string | undefined {
  const [, prefix, ownKey] = tagTitle.exec(title) ?? []
  return isTitleOf(prefix, 'tag') ? ownKey : /^tags?[.:_](.+)$/i.exec(title.trim())?.[1]
}

/**
 * Guesses the meaning of each column from its title, or from the values of sample rows when the title says nothing. Several columns
 * may be the phone or the email, in the order of their `rank`. Without a header row, the column most like names becomes the name.
 */
export function guessColumns(
  header: readonly string[],
  sample: readonly string[][],
  hasHeader: boolean,
): ColumnTarget[] {
  const columns = header.map((_, at) =>
    sample.map((cells) => cells[at]?.trim() ?? '').filter((cell) => cell !== ''),
  )
  const shareOf = (at: number, fits: (cell: string) => boolean) => {
    const values = columns[at]!
    return values.length === 0 ? 0 : values.filter(fits).length / values.length
  }
  const share = (at: number, shape: RegExp) => shareOf(at, (cell) => shape.test(cell))
  const says = header.map((title): TitleMeaning | ColumnTarget | null => {
    if (isOurs(title)) return { to: 'other' }
    const tagKey = tagKeyOf(title)
    if (tagKey !== undefined) return tagKey.length > tagKeyMax ? { to: 'other' } : { to: 'tag', tagKey }
    return hasHeader ? titleMeaning(title) : null
  })
  for (const [at, title] of header.entries())
    if (hasHeader && says[at] === null && isKindOfNumber(title) && shareOf(at, isPhoneShape) > 0.8)
      says[at] = { to: 'phone', rank: kindRank(title) ?? 2, isWeak: false }
  // A "Contact" may be a name or a number.
  if (!says.some((meaning) => meaning?.to === 'phone' && 'isWeak' in meaning && !meaning.isWeak))
    for (const [at, meaning] of says.entries())
      if (meaning?.to === 'name' && shareOf(at, isPhoneShape) > 0.8)
        says[at] = { to: 'phone', rank: 1, isWeak: true }

  /** "Has opted out of email" holds no address, and an "Email ID" may not. */
  const isNoAddress = (at: number) =>
    share(at, /@/) === 0 && (isConsentTitle(header[at]!) || /\bid$/i.test(header[at]!.trim()))
  /** IDs such as `#1001`, beside names. */
  const isNoName = (at: number) => share(at, /\p{L}/u) === 0
  /** “Member: yes” names no one. */
  const isPerson = (cell: string) => personShape.test(cell) && !isVerdict(consentKey(cell))
  const hasNames = says.some((meaning, at) => meaning?.to === 'name' && !isNoName(at))
  const targets = says.map((meaning, at): ColumnTarget => {
    if (meaning === null || meaning.to === 'other' || meaning.to === 'phone') return { to: 'ignore' }
    const isNoValue =
      meaning.to === 'email' ? isNoAddress(at) : meaning.to === 'name' && hasNames && isNoName(at)
    return isNoValue ? { to: 'ignore' } : meaning
  })
  const own = phoneColumns(says, columns)
  // A list of pupils has only their parents' numbers, and one below “Do not call” those.
  const others = header.flatMap((title, at) =>
    hasHeader && (isParentsPhone(title) || isConsentTitle(title)) && shareOf(at, isPhoneShape) > 0.8
      ? [at]
      : [],
  )
  const hasOwn = own.some((at) => shareOf(at, isPhoneShape) > 0)
  const phones = hasOwn || others.length === 0 ? own : others
  for (const [place, at] of phones.entries())
    targets[at] = phones.length === 1 ? { to: 'phone' } : { to: 'phone', rank: place + 1 }

  const emails = header.flatMap((_, at) => (targets[at]!.to === 'email' ? [at] : []))
  if (emails.length === 0)
    emails.push(
      ...header
        .flatMap((_, at) => (says[at] === null && share(at, emailShape) > 0.8 ? [at] : []))
        .slice(0, 1),
    )
  for (const [place, at] of emails.entries())
    targets[at] = emails.length === 1 ? { to: 'email' } : { to: 'email', rank: place + 1 }

  const country = hasHeader ? countryColumn(header, columns) : undefined
  if (country !== undefined && targets[country]!.to === 'ignore') targets[country] = { to: 'country' }
  if (hasHeader) {
    const isNamed = targets.some(({ to }) => to === 'name' || to === 'first-name' || to === 'last-name')
    const named = isNamed
      ? -1
      : header.findIndex(
          (title, at) =>
            targets[at]!.to === 'ignore' &&
            mayBeNames(title) &&
            (isWho(title) ? shareOf(at, isPerson) : share(at, nameShape)) > 0.6,
        )
    if (named >= 0) targets[named] = { to: 'name' }
    return nameParts(targets, header)
  }
  // Values with two words and few repeats are more likely names than towns.
  const likeness = (at: number) => share(at, /\p{L} \p{L}/u) + new Set(columns[at]).size / columns[at]!.length
  const nameAt = targets
    .flatMap(({ to }, at) => (to === 'ignore' && share(at, nameShape) > 0.8 ? [at] : []))
    .toSorted((a, b) => likeness(b) - likeness(a))[0]
  return targets.map((target, at) => (at === nameAt ? { to: 'name' } : target))
}

/** Titles of columns with numbers of parents that an import leaves out, though some row has no other. */
export function parentsNumbers(
  header: readonly string[],
  sample: readonly string[][],
  columns: readonly ColumnTarget[],
): string[] {
  const hasNumber = (cells: readonly string[], at: number) => isPhoneShape(cells[at]?.trim() ?? '')
  const lacking = sample.filter(
    (cells) => !columns.some(({ to }, at) => to === 'phone' && hasNumber(cells, at)),
  )
  return header.filter(
    (title, at) =>
      columns[at]?.to === 'ignore' && isParentsPhone(title) && lacking.some((cells) => hasNumber(cells, at)),
  )
}

/** The column that names each row's country: that of its number before another, then the fullest. */
function countryColumn(header: readonly string[], columns: readonly string[][]): number | undefined {
  const isCountry = (at: number, title: number) => {
    // The first country name that is looked up takes 50 ms.
    if (title === 0) return false
    const proof = title === 1 ? countryCode : title === 4 ? callingCode : /^/
    const values = columns[at]!.map(readCell).filter((cell) => proof.test(cell.trim()))
    const known = values.filter((cell) => regionOfCountry(cell) !== null).length
    return known > 0 && known >= columns[at]!.length * 0.8
  }
  return header
    .flatMap((title, at) => (isCountry(at, countryTitle(title)) ? [at] : []))
    .toSorted(
      (a, b) =>
        countryTitle(header[b]!) - countryTitle(header[a]!) ||
        columns[b]!.length - columns[a]!.length ||
        a - b,
    )[0]
}

/** The columns with numbers, in the order to try them. */
function phoneColumns(says: readonly ({ to: string } | null)[], columns: readonly string[][]): number[] {
  const rows = Math.max(1, ...columns.map((values) => values.length))
  const fits = (at: number) =>
    columns[at]!.filter((cell) => isPhoneShape(cell) && dateShape(cell) === null).length
  /** Empty cells count against a column, values with a plus for it. */
  const score = (at: number) =>
    (fits(at) + columns[at]!.filter((cell) => /^['=" ]{0,3}\+\d/.test(cell)).length / 2) / rows
  const titled = says.flatMap((meaning, at) =>
    meaning?.to === 'phone' ? [{ at, ...(meaning as TitleMeaning & { to: 'phone' }) }] : [],
  )
  /** Whether each row has the same number: in a log of messages, it is the operator's own. */
  const isRepeated = (at: number) => columns[at]!.length > 1 && new Set(columns[at]).size === 1
  const isNamed = (at: number) => titled.some((column) => column.at === at && column.rank < 2)
  const strong = titled.filter(({ isWeak }) => !isWeak)
  const filled = strong.filter(({ at }) => columns[at]!.length === 0 || fits(at) > 0)
  // In a log of calls, the operator's own number is beside each.
  const others = filled.filter(({ at }) => !isRepeated(at) || columns[at]!.length < Math.max(3, rows))
  const used = others.some(({ at }) => fits(at) > 0) ? others : filled
  if (used.some(({ at }) => fits(at) > 0))
    return used.toSorted((a, b) => a.rank - b.rank || a.at - b.at).map(({ at }) => at)
  const untitled = says.flatMap((meaning, at) =>
    meaning === null || (meaning.to === 'phone' && (meaning as { isWeak?: boolean }).isWeak) ? [at] : [],
  )
  const likely = untitled
    .filter((at) => fits(at) * 2 > columns[at]!.length)
    .toSorted(
      (a, b) =>
        Number(isRepeated(a)) - Number(isRepeated(b)) ||
        Number(isNamed(b)) - Number(isNamed(a)) ||
        score(b) - score(a),
    )
  if (likely.length > 0) return likely.slice(0, 1)
  return titled
    .filter(({ at, isWeak }) => !isWeak || columns[at]!.length === 0 || fits(at) > 0)
    .toSorted((a, b) => Number(a.isWeak) - Number(b.isWeak) || score(b.at) - score(a.at))
    .map(({ at }) => at)
    .slice(0, 1)
}

/**
 * Next to a first name only, a "Name" column holds the last name. Beside a last name only, or a second first name, it holds the first.
 */
function nameParts(targets: readonly ColumnTarget[], header: readonly string[]): ColumnTarget[] {
  const has = (target: ColumnTarget['to']) => targets.some(({ to }) => to === target)
  const isFirst = targets.some(({ to }, at) => to === 'first-name' && !isSecondName(header[at]!))
  if (isFirst && has('last-name')) return [...targets]
  return targets.map((target, at) => {
    if (target.to !== 'name') return target
    if (isFirst) return { to: 'last-name' }
    return (has('last-name') || has('first-name')) && isShortName(header[at]!) ? { to: 'first-name' } : target
  })
}
