/**
 * What a spreadsheet may run as a formula: a first sign, also full-width, also after blanks or invisible characters; or a cell that
 * begins with a tab or a line end.
 */
const formulaStart = /^(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u
/** A number with its plus is no formula: every phone begins so. */
const phone = /^\+\d{6,15}$/
const [apostrophe, digitZero, digitNine, at] = [39, 48, 57, 64]

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
  // Most cells begin with a digit or a letter.
  if ((first > at && first < 0x7f) || (first >= digitZero && first <= digitNine)) return text
  if (first === apostrophe) return formulaStart.test(text.replace(/^(?:'')+/, '')) ? guard + text : text
  return formulaStart.test(text) && !phone.test(text) ? guard + text : text
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
