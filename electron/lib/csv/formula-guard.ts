/** What a spreadsheet takes for the beginning of a formula. */
const risky = /^[=+\-@\t\r\n]/
/** A number with its plus is none: every phone begins so. */
const phone = /^\+[0-9]{6,15}$/

/**
 * A text for a cell of a CSV. One that a spreadsheet would run gets an apostrophe before it, and so does one that begins with apostrophes
 * before such a character: `readCell` takes away exactly what was added.
 */
export function guardCell(text: string): string {
  const first = text.charCodeAt(0)
  // Most cells begin with a digit, a letter or something above ASCII.
  if ((first > 61 && first !== 64) || (first >= 48 && first <= 57)) return text
  const bare = first === 39 ? text.replace(/^'+/, '') : text
  return risky.test(bare) && !phone.test(text) ? `'${text}` : text
}

/** The text that `guardCell` was given. Cells of other programs are left alone but for such an apostrophe. */
export function readCell(cell: string): string {
  if (!cell.startsWith("'")) return cell
  const inner = cell.slice(1)
  return guardCell(inner) === cell ? inner : cell
}
