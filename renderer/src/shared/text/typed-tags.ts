/** A tag as it is typed or shown: a word has an empty value. */
export interface TypedTag {
  key: string
  value: string
}

/** What parts tags in every field of tags. */
const betweenTags = /[;,|\r\n]/

/** True for a text that `readTypedTags` reads as more than one word. */
export const isTagList = (text: string): boolean => betweenTags.test(text) || text.includes('=')

/** Tags such as `vip, source=fair; year=2026`. Those without a key have an empty one. */
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
