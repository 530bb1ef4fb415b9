import type { ColumnTarget } from '../../contract/people/imports.ts'
import { nameFrom } from '../../lib/contact-fields.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import { fold } from '../../lib/fold.ts'
import { isNoValue } from './cell-error.ts'
import { bareTitle, isLastNameFirst, isOneSurname } from './column-titles.ts'

const hasWords = (text: string, words: string) => ` ${text} `.includes(` ${words} `)
/** Both, unless one has all words of the other. */
const joined = (one: string, other: string): string =>
  hasWords(one, other) ? one : hasWords(other, one) ? other : `${one} ${other}`

/** Its form is behind its name: “Sa, Maria” is a person. */
const company = /&|[^\s,][\s,]+(?:inc|ltd|llc|corp|co|gmbh|ag|kg|ohg|ug|sa|sl|srl|bv|nv)\.?\s*(?:,|$)/iu
const address = /^(?:(?:dr|prof|med|mr|mrs|ms|herr|frau|mme|jr|sr)\b\.?\s*)+/i

/** The parts of “Roe, Ann”; null for a company, or without a first name. */
function partsOf(text: string) {
  const [lastName = '', rest = '', ...more] = text.split(',').map((part) => part.trim())
  const firstName = rest.replace(address, '')
  const isPerson = lastName !== '' && firstName !== '' && more.length === 0 && !company.test(text)
  return isPerson ? { name: `${rest} ${lastName}`, firstName, lastName } : null
}

function textOf(raw = ''): string {
  const cell = readCell(raw)
  return cell === '' || isNoValue(cell) ? '' : nameFrom(cell)
}

/**
 * Reads a row's whole name and its parts. Columns of one part are joined in order, as two surnames are. Of those whose titles differ only
 * in the owner, as `Last name (Billing)`, the first that is filled counts. Without a column for it, a name beside a last name is the first
 * name. Beside both, the name is the whole name if it contains one of them, else what stands between them, unless it is a user name.
 * A column titled “Last name, first name” has both.
 */
export function createNameReading(columns: readonly ColumnTarget[], header: readonly string[]) {
  const bare = header.map(bareTitle)
  const isSame = (at: number, other: number) =>
    columns[at]!.to === columns[other]!.to && bare[at] === bare[other] && header[at] !== header[other]
  const named = columns.flatMap(({ to }, at) => {
    if (to !== 'name' && to !== 'first-name' && to !== 'last-name') return []
    const before = to === 'name' ? [] : [...header.keys()].slice(0, at)
    return [{ to, at, same: before.filter((other) => isSame(at, other)) }]
  })
  const hasFirst = named.some(({ to }) => to === 'first-name')
  const hasBoth = hasFirst && named.some(({ to }) => to === 'last-name')
  const isLastFirst = named.length === 1 && isLastNameFirst(header[named[0]!.at] ?? '')
  return (cells: readonly string[]) => {
    const found = { name: '', 'first-name': '', 'last-name': '' }
    for (const { to, at, same } of named) {
      const text = textOf(cells[at])
      if (text === '' || same.some((other) => textOf(cells[other]) !== '')) continue
      // Both surnames of a person may be García.
      const isSecond = to === 'last-name' && found[to] === text && isOneSurname(header[at] ?? '')
      if (found[to] === '' || isSecond) found[to] = `${found[to]} ${text}`.trim()
      else found[to] = joined(found[to], text)
    }
    const { name, 'first-name': firstName, 'last-name': lastName } = found
    if (firstName === '' && lastName === '')
      return (isLastFirst && partsOf(name)) || { name, firstName, lastName }
    const parts = [firstName, lastName].filter((part) => part !== '')
    const isUser =
      hasBoth && (/[\d@_]/.test(name) || parts.some((part) => part !== name && fold(part) === fold(name)))
    const other = isUser ? '' : name
    const isWhole = hasBoth && parts.some((part) => other.includes(part))
    const whole = [firstName, other, lastName].filter((part) => part !== '').join(' ')
    return { name: isWhole ? other : whole, firstName: hasFirst ? firstName : name, lastName }
  }
}
