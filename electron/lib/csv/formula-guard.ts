/** What a spreadsheet takes for the beginning of a formula. */
const risky = /^[=+\-@\t\r\n]/
/** A number with its plus is none: every phone begins so. */
const phone = /^\+[0-9]{6,15}$/

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
  const bare = first === 39 ? text.replace(/^(?:'')+/, '') : text
  return risky.test(bare) && !phone.test(text) ? guard + text : text
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
