/** The end of an entry, as the core splits a list of numbers. */
const entryEnd = /[,;|\t]|\s+(?=\(?\+)/g
const wordEnd = /\s+/g
/** Characters after an entry that mark its end. */
const lookahead = 2

/**
 * A pasted text for a single-line field. Lines become entries, because the field would turn line breaks into spaces, which numbers also
 * contain. Over `room` characters, only whole entries stay (whole words of a single entry): half a number would be searched for.
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
