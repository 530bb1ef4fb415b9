import { deceiving, nameOf } from '#contract/visible-text.ts'

export { visibleText } from '#contract/visible-text.ts'

/** A part of foreign text: unchanged, or the name of one character that is invisible or reorders others. */
interface TextPart {
  text: string
  /** True for a name such as `U+202E`. */
  control: boolean
}

const multilineControls = new Set(['\n', '\t'])

/**
 * Splits text from outside so that nothing invisible acts in it: controls become visible names, the rest stays. With `multiline`, line
 * feeds and tabs stay. ZWJ and ZWNJ within words stay, because scripts and emoji need them.
 */
export function visibleParts(text: string, multiline = false): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const match of text.matchAll(deceiving)) {
    if (multiline && multilineControls.has(match[0])) continue
    if (match.index > from) parts.push({ text: text.slice(from, match.index), control: false })
    parts.push({ text: nameOf(match[0]), control: true })
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ text: text.slice(from), control: false })
  return parts
}
