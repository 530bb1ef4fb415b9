/** A stretch of foreign text: as it came, or the name of one character that would not show or would rearrange others. */
export interface TextPart {
  text: string
  /** True for a stand-in such as `U+202E`. */
  control: boolean
}

/**
 * Characters that a text from outside may use to deceive: C0 and C1 controls, zero-width and soft-hyphen characters, line and
 * paragraph separators, bidi marks, embeddings, overrides and isolates (Unicode UAX #9), tag characters and lone surrogates.
 */
const deceiving =
  // eslint-disable-next-line no-control-regex -- these characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

const keptOnLines = new Set(['\n', '\t'])

/**
 * Splits text that came from outside so that nothing in it can act unseen: controls become visible names, the rest stays.
 * With `multiline`, line feeds and tabs stay too. Joining ZWJ and ZWNJ stay, because scripts and emoji need them.
 */
export function visibleParts(text: string, multiline = false): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const match of text.matchAll(deceiving)) {
    if (multiline && keptOnLines.has(match[0])) continue
    if (match.index > from) parts.push({ text: text.slice(from, match.index), control: false })
    parts.push({ text: nameOf(match[0]), control: true })
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ text: text.slice(from), control: false })
  return parts
}

/** The same as one text, for places that hold nothing but text: a title, a label, the clipboard. */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => (part.control ? `[${part.text}]` : part.text))
    .join('')
}

const shortNames: Record<string, string> = {
  '\n': '↵',
  '\r': 'CR',
  '\t': 'TAB',
  '\u0000': 'NUL',
  '\u0007': 'BEL',
  '\u001b': 'ESC',
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return shortNames[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
