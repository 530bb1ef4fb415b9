import { deceiving, nameOf } from '#contract/visible-text.ts'

export { visibleText } from '#contract/visible-text.ts'

/** A stretch of foreign text: as it came, or the name of one character that would not show or would rearrange others. */
export interface TextPart {
  text: string
  /** True for a stand-in such as `U+202E`. */
  control: boolean
}

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
