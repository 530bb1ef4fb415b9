const [tab, lineFeed, carriageReturn, apostrophe, plus, minus, equals, at] = [9, 10, 13, 39, 43, 45, 61, 64]

/** A number with its plus is no formula: every phone begins so. */
function isPhone(text: string): boolean {
  if (text.length < 7 || text.length > 16) return false
  for (let index = 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 48 || code > 57) return false
  }
  return true
}

/** What a spreadsheet takes for the beginning of a formula. */
const isRisky = (code: number) =>
  code === equals ||
  code === plus ||
  code === minus ||
  code === at ||
  code === tab ||
  code === carriageReturn ||
  code === lineFeed

/**
 * Two apostrophes, where most programs put one: a spreadsheet shows what is behind either as a text, and a cell `'=x` of another program's
 * file is then none of ours, whose apostrophe must not be taken away.
 */
const guard = "''"

/**
 * A text for a cell of a CSV. One that a spreadsheet would run gets two apostrophes before it, and so does one that would be taken for
 * such a cell: `readCell` takes away exactly what was added.
 */
export function guardCell(text: string): string {
  const first = text.charCodeAt(0)
  // Most cells begin with a digit, a letter or something above ASCII.
  if ((first > 61 && first !== 64) || (first >= 48 && first <= 57)) return text
  if (first === apostrophe) return isRisky(text.replace(/^(?:'')+/, '').charCodeAt(0)) ? guard + text : text
  return isRisky(first) && !(first === plus && isPhone(text)) ? guard + text : text
}

/**
 * The text that `guardCell` was given. Cells of other programs are left as they are, `'=x` too; only one that begins with two apostrophes
 * and what would be a formula cannot be told from ours.
 */
export function readCell(cell: string): string {
  if (!cell.startsWith(guard)) return cell
  const inner = cell.slice(guard.length)
  return guardCell(inner) === cell ? inner : cell
}
