import type { ImportChoices } from '../../contract/people/imports.ts'

/** Words for a sum that are no names. */
const sums =
  'totals?|summe|gesamt|gesamtsumme|insgesamt|totale|totaal|итого|всего|razem|celkem|osszesen|összesen|toplam|σύνολο|المجموع|合[计計]|总计|總計|합계'
/** First words of a line of sums. */
const sumLine = new RegExp(
  `^(?:grand |sub)?-?(?:${sums}|sum|suma|somma|anzahl|count|разом)(?![\\p{L}\\p{N}])|^(?:合[计計]|总计|總計|합계)`,
  'iu',
)
/** With nothing else in the cell, also a number in the line is a sum. */
const sumOnly = new RegExp(`^(?:grand |sub)?-?(?:${sums})\\s*:?$`, 'iu')

/** A line that may be a person's name without the rest of its row. */
const nameOnly = /^\p{L}[\p{L}\p{M}.'’-]*( [\p{L}\p{M}.'’-]+){0,2}$/u

/** True for closing lines, sums and repeated headers: rows that are no person's. With a number, only sums are. */
export function createNoContact({ columns }: Pick<ImportChoices, 'columns'>, header: readonly string[]) {
  const bare = (text: string) => text.replace(/\p{Cf}/gu, '').trim()
  const titles = header.map(bare)
  return (cells: readonly string[], hasNumber = false): boolean => {
    if (hasNumber) return sumOnly.test(bare(cells.find((cell) => cell.trim() !== '') ?? ''))
    const filled = cells.map(bare)
    const count = filled.filter((cell) => cell !== '').length
    if (columns.length > 2 && cells.length === 1 && !nameOnly.test(filled[0]!)) return true
    if (count > 0 && sumLine.test(filled.find((cell) => cell !== '')!)) return true
    return count > 1 && filled.every((cell, at) => cell === '' || cell === titles[at])
  }
}
