/** A typed tag: `key=value`, or `key`. Null without a key. */
export function tagOf(text: string): { key: string; value: string | null } | null {
  const at = text.indexOf('=')
  const key = (at < 0 ? text : text.slice(0, at)).trim()
  if (key === '') return null
  return { key, value: at < 0 ? null : text.slice(at + 1).trim() }
}

/** A tag as typed; `tagOf` reads it back. */
export const tagText = ({ key, value }: { key: string; value: string | null }): string =>
  value === null ? key : `${key}=${value}`

/** A tag as shown: `key=value`, or `key` without a value. */
export const tagLabel = (key: string, value: string): string => (value === '' ? key : `${key}=${value}`)
