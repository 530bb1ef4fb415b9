import type { ColumnTarget } from '../../contract/people/imports.ts'
import { nameFrom } from '../../lib/contact-fields.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import { isNoValue } from './cell-error.ts'

const hasWords = (text: string, words: string) => ` ${text} `.includes(` ${words} `)
/** Both, unless one has all words of the other. */
const joined = (one: string, other: string): string =>
  hasWords(one, other) ? one : hasWords(other, one) ? other : `${one} ${other}`

/**
 * Reads a row's whole name and its parts. Without a column for it, a name beside a last name is the first name. Beside both, the name is
 * the whole name if it contains one of them, else what stands between them.
 */
export function createNameReading(columns: readonly ColumnTarget[]) {
  const named = columns.flatMap(({ to }, at) =>
    to === 'name' || to === 'first-name' || to === 'last-name' ? [{ to, at }] : [],
  )
  const hasFirst = named.some(({ to }) => to === 'first-name')
  const hasBoth = hasFirst && named.some(({ to }) => to === 'last-name')
  return (cells: readonly string[]) => {
    const found = { name: '', 'first-name': '', 'last-name': '' }
    for (const { to, at } of named) {
      const cell = readCell(cells[at] ?? '')
      if (cell === '' || isNoValue(cell)) continue
      const text = nameFrom(cell)
      if (found[to] === '') found[to] = text
      else if (to === 'name') found.name = joined(found.name, text)
    }
    const { name, 'first-name': firstName, 'last-name': lastName } = found
    if (firstName === '' && lastName === '') return { name, firstName, lastName }
    const isWhole = hasBoth && [firstName, lastName].some((part) => part !== '' && name.includes(part))
    const whole = [firstName, name, lastName].filter((part) => part !== '').join(' ')
    return { name: isWhole ? name : whole, firstName: hasFirst ? firstName : name, lastName }
  }
}
