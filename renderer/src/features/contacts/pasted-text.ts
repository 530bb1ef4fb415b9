/** Where an entry of a list ends, as the core reads a list of numbers. */
const entryEnd = /[,;|\t]|\s+(?=\(?\+)/g
const wordEnd = /\s+/g
/** Characters of what follows an entry by which its end is known. */
const lookahead = 2

/**
 * A pasted text as a field of one line takes it: lines become entries of a list, since a field makes blanks of their ends, which stand
 * within numbers, too. Of more than `room` characters only whole entries are left (words, where there is but one entry): half a number
 * would be looked for as it stands.
 */
export function fitPasted(pasted: string, room: number): { text: string; isCut: boolean } {
  const lines = pasted.split(/[\r\n]+/).map((line) => line.trim())
  const text = lines.filter((line) => line !== '').join(', ')
  if (text.length <= room) return { text, isCut: false }
  const head = text.slice(0, room + 1 + lookahead)
  const lastEnd = (ends: RegExp) =>
    Array.from(head.matchAll(ends), ({ index }) => index).findLast((at) => at <= room)
  return { text: text.slice(0, lastEnd(entryEnd) ?? lastEnd(wordEnd) ?? room), isCut: true }
}
