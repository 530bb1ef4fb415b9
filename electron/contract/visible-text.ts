/**
 * Characters that a text from outside may use to deceive: C0 and C1 controls, zero-width and soft-hyphen characters, line and
 * paragraph separators, bidi marks, embeddings, overrides and isolates (Unicode UAX #9), tag characters and lone surrogates.
 */
export const deceiving =
  // eslint-disable-next-line no-control-regex -- these characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

const shortNames: Record<string, string> = {
  '\n': '↵',
  '\r': 'CR',
  '\t': 'TAB',
  '\u0000': 'NUL',
  '\u0007': 'BEL',
  '\u001b': 'ESC',
}

/** What a deceiving character is shown as. */
export function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return shortNames[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Foreign text for places that hold nothing but text (a title, a sentence, the clipboard): what would act unseen is named. */
export function visibleText(text: string): string {
  return text.replace(deceiving, (character) => `[${nameOf(character)}]`)
}
