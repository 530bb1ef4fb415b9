/** Letters of other alphabets, and of phonetic ones, in the shape of Latin letters. Both texts have the same length. */
const [shapes, letters] = [
  'авсԁеёһніїјкмпорԛѕтуѵԝхьαβεηικνορτυχςΑΒΕΖΗΙΚΜΝΟΡΤΥΧՏօսոıøᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ',
  'abcdeehhiijkmnopqstyvwxbabenikvoptuxsabezhikmnoptyxsounioabcdeghijklmnoprstuvwyz',
]
const letterOf = new Map([...shapes].map((shape, at) => [shape, letters[at]!]))
/** Letters in black circles and squares, 32 code points apart, and those of flags. */
const boxed = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu

function unboxed(sign: string): string {
  const code = sign.codePointAt(0)!
  return String.fromCharCode(0x61 + (code < 0x1f1e6 ? (code - 0x1f150) % 32 : code - 0x1f1e6))
}

/** The text with letters that only look Latin replaced by the Latin ones. */
export const lookedAt = (text: string): string =>
  text
    .replace(boxed, unboxed)
    .replace(
      /[^\p{ASCII}]/gu,
      (letter) => letterOf.get(letter) ?? letterOf.get(letter.toLowerCase()) ?? letter,
    )

const namedSigns: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: '’', rsquo: '’' }

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}\d*));/gi,
    (_, decimal, hex, name: string) => {
      const code = decimal ? Number(decimal) : parseInt(String(hex), 16)
      if (!name) return code <= 0x10ffff ? String.fromCodePoint(code) : ' '
      const [, letter] = /^([a-z])(?:uml|acute|grave|circ|tilde|cedil|caron|ring|slash)$/i.exec(name) ?? []
      return letter ?? namedSigns[name.toLowerCase()] ?? ' '
    },
  )
}

const blockTag = /<\/?(?:br|p|div|li|tr|h\d|hr)\b[^<>]{0,500}>/gi
const tag = /<[/!]?[a-z][^<>]{0,500}>/gi

/** A text that a gateway left in hexadecimal digits. */
const hexText = /^(?:[\da-f]{2}){4,}$/i

/** What a reader sees of HTML: its text without entities, and that also without tags. What hexadecimal digits mean, with one byte or two for a letter. */
export function shownOf(text: string): string[] {
  if (hexText.test(text)) {
    const bytes = Buffer.from(text, 'hex')
    const isWide = bytes.length % 2 === 0
    return [text, bytes.toString('utf8'), ...(isWide ? [bytes.swap16().toString('utf16le')] : [])]
  }
  if (!/[&<]/.test(text)) return [text]
  const plain = decoded(text)
  return [plain, plain.replace(blockTag, '\n').replace(tag, '')]
}
