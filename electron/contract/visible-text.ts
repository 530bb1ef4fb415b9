/**
 * Characters that can deceive: controls, zero-width characters, soft hyphens, line and paragraph separators, bidi
 * marks and isolates (Unicode UAX #9), tag characters, lone surrogates.
 */
export const deceiving =
  // eslint-disable-next-line no-control-regex -- the pattern must match these characters
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

const shortNames: Record<string, string> = {
  '\n': '↵',
  '\r': 'CR',
  '\t': 'TAB',
  '\u0000': 'NUL',
  '\u0007': 'BEL',
  '\u001b': 'ESC',
}

/** Visible name of a deceptive character. */
export function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return shortNames[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Outside text for plain-text places (title, sentence, clipboard), with invisible characters named. */
export function visibleText(text: string): string {
  return text.replace(deceiving, (character) => `[${nameOf(character)}]`)
}
