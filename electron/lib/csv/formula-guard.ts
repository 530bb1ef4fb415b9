/**
 * What a spreadsheet may run as a formula: an operator first, also full-width or after spaces and invisible characters; or a leading tab
 * or line end.
 */
const formulaStart = /^(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u
/** A phone number with its plus is safe: digits alone, or with a blank or bracket behind the country code, which no sum has there. */
const phone = /^\+(?:\d{6,15}|\d{1,3}(?: \(?|\()\d[\d ().\-/]{4,20})$/
const [apostrophe, digitZero, digitNine, at] = [39, 48, 57, 64]

/** Two apostrophes, because most programs write one: a foreign `'=x` must keep its own. */
const guard = "''"

/** Makes text safe to open as a spreadsheet cell. `readCell` removes exactly what this added. */
export function guardCell(text: string): string {
  const first = text.charCodeAt(0)
  // Fast path: most cells begin with a digit or a letter.
  if ((first > at && first < 0x7f) || (first >= digitZero && first <= digitNine)) return text
  if (first === apostrophe) return formulaStart.test(text.replace(/^(?:'')+/, '')) ? guard + text : text
  return formulaStart.test(text) && !phone.test(text) ? guard + text : text
}

/** Undoes `guardCell`. Cells of other programs stay unchanged, unless they begin with two apostrophes and a formula. */
export function readCell(cell: string): string {
  if (!cell.startsWith(guard)) return cell
  const inner = cell.slice(guard.length)
  return guardCell(inner) === cell ? inner : cell
}
