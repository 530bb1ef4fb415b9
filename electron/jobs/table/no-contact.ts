import type { ImportChoices } from '../../contract/people/imports.ts'

/** First words of a line of sums. */
const sumLine =
  /^(grand |sub)?-?(totals?|sum|summe|gesamt|gesamtsumme|insgesamt|suma|somma|totale|totaal|anzahl|count|итого|всего|разом|razem|celkem|osszesen|összesen|toplam|σύνολο|المجموع)(?![\p{L}\p{N}])|^(?:合[计計]|总计|總計|합계)/iu

/** A line that may be a person's name without the rest of its row. */
const nameOnly = /^\p{L}[\p{L}\p{M}.'’-]*( [\p{L}\p{M}.'’-]+){0,2}$/u

/** True for closing lines, sums and repeated headers: rows without a number that are no person's. */
export function createNoContact({ columns }: Pick<ImportChoices, 'columns'>, header: readonly string[]) {
  const bare = (text: string) => text.replace(/\p{Cf}/gu, '').trim()
  const titles = header.map(bare)
  return (cells: readonly string[]): boolean => {
    const filled = cells.map(bare)
    const count = filled.filter((cell) => cell !== '').length
    if (columns.length > 2 && cells.length === 1 && !nameOnly.test(filled[0]!)) return true
    if (count > 0 && sumLine.test(filled.find((cell) => cell !== '')!)) return true
    return count > 1 && filled.every((cell, at) => cell === '' || cell === titles[at])
  }
}
