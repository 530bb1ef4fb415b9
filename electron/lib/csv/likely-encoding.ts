import { detectAll } from 'jschardet'

/** Bytes that the detector gets: more cost time and don't change its answer. */
const judgedMax = 4_096
/** With fewer bytes beyond ASCII, a text that isn't Western European may be misread. */
const bytesMin = 32
/** A reading this close to the best one may be the right one. */
const near = 0.9
/** The usual encoding of Western Europe wins against that of Central Europe when it reads short lists of Spanish or French names this well. */
const nearWestern = 0.75
const central = /^windows-1250$|^iso-8859-(2|3|16)$/
/** A delimiter, quote or line end; none is a part of another character in any encoding. */
const ends = new Set([...'\t\n\r",;'].map((sign) => sign.charCodeAt(0)))
/** Words of one alphabet with letters of another: the wrong encoding. */
const mixed =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]\p{Script=Latin}/u

/** The different cells with bytes beyond ASCII, one per line: the others say nothing, and are most of a long list. */
function foreignCells(texts: readonly Uint8Array[]): { cells: Buffer; foreign: number } {
  const cells = new Set<string>()
  let length = 0
  let foreign = 0
  for (const text of texts) {
    let [from, found] = [0, 0]
    for (let at = 0; at <= text.length && length < judgedMax; at++) {
      if (at < text.length && !ends.has(text[at]!)) {
        if (text[at]! >= 0x80) found++
        continue
      }
      const cell = found === 0 ? '' : Buffer.from(text.subarray(from, at)).toString('latin1')
      if (cell !== '' && cell.length < 200 && !cells.has(cell)) {
        cells.add(cell)
        length += cell.length + 1
        foreign += found
      }
      ;[from, found] = [at + 1, 0]
    }
  }
  return { cells: Buffer.from([...cells].join('\n'), 'latin1'), foreign }
}

function decode(bytes: Uint8Array, label: string): { name: string; text: string } | null {
  try {
    const decoder = new TextDecoder(label === 'MacRoman' ? 'macintosh' : label)
    return { name: decoder.encoding, text: decoder.decode(bytes) }
  } catch {
    return null
  }
}

/** Control characters, which no text has: the wrong encoding. */
const controls = /[\u0080-\u009f]/
/** Whether a text beyond ASCII has signs only, such as `€ 20` or `“quoted”`. In another alphabet it would have letters. */
const isSigns = (text: string): boolean =>
  !/(?![ªº])\p{L}/u.test(text.replace(/[a-z]/gi, '')) && !controls.test(text)

/** The encoding that pieces of a text in no form of Unicode are likely in, as a WHATWG name. `isSure`: no other reads them as well. */
export function likelyEncoding(pieces: readonly Uint8Array[]): { encoding: string; isSure: boolean } {
  const { cells, foreign } = foreignCells(pieces)
  if (foreign < bytesMin && isSigns(decode(cells, 'windows-1252')!.text))
    return { encoding: 'windows-1252', isSure: true }
  const readings = (cells.length === 0 ? [] : detectAll(cells))
    .toSorted((a, b) => b.confidence - a.confidence)
    .flatMap(({ encoding, confidence }) => {
      const read = encoding === null ? null : decode(cells, encoding)
      const isLikely =
        read &&
        !read.name.startsWith('utf') &&
        ![/\ufffd/, mixed, controls].some((wrong) => wrong.test(read.text))
      return isLikely ? [{ ...read, confidence }] : []
    })
  const first = readings[0]
  if (!first) return { encoding: 'windows-1252', isSure: cells.length === 0 }
  const rivals = readings.filter(({ confidence }) => confidence >= first.confidence * near)
  const western = readings.find(({ name }) => name === 'windows-1252')
  // Of those that read alike, the one that spreadsheets write.
  const least = first.confidence * (central.test(first.name) ? nearWestern : near)
  const best = western && western.confidence >= least ? western : first
  const alike = readings.find(({ name, text }) => text === best.text && name.startsWith('windows'))
  return {
    encoding: (alike ?? best).name,
    isSure:
      rivals.every(({ text }) => text === best.text) &&
      (foreign >= bytesMin || best.text === decode(cells, 'windows-1252')!.text),
  }
}
