/** A tag as typed or shown: a plain word has an empty value. */
export interface TypedTag {
  key: string
  value: string
}

/** Separators of tags in every tag field. */
const betweenTags = /[;,|\r\n]/

/** True for a text that `readTypedTags` reads as several tags. */
export const isTagList = (text: string): boolean => betweenTags.test(text) || text.includes('=')

/** Tags such as `vip, source=fair; year=2026`. Tags without a key get an empty one. */
export function readTypedTags(text: string): TypedTag[] {
  return text
    .split(betweenTags)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=')
      return at < 0
        ? { key: part, value: '' }
        : { key: part.slice(0, at).trim(), value: part.slice(at + 1).trim() }
    })
}
