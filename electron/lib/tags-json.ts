/**
 * Tags as a book stores them: a JSON object of texts, every key its own whatever its name. Null for anything else, which only damage to
 * the file or another program brings there: one such row must not end what is done for all the others.
 */
export function readTagsJson(json: string): Record<string, string> | null {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  for (const text of Object.values(value)) if (typeof text !== 'string') return null
  return value as Record<string, string>
}

/** Form in which tag keys are compared: two that differ only by case are one tag. */
export const foldTagKey = (key: string): string => key.normalize('NFC').toLowerCase()

/** `before` with tags set and removed. An existing key keeps its spelling. Keys such as `__proto__` are own properties of the result. */
export function withTags(
  before: Record<string, string>,
  set: Record<string, string>,
  remove: readonly string[] = [],
): Record<string, string> {
  const tags = new Map<string, [key: string, value: string]>()
  for (const [key, value] of Object.entries(before)) tags.set(foldTagKey(key), [key, value])
  for (const key of remove) tags.delete(foldTagKey(key))
  for (const [key, value] of Object.entries(set)) {
    const folded = foldTagKey(key)
    tags.set(folded, [tags.get(folded)?.[0] ?? key, value])
  }
  return Object.fromEntries(tags.values())
}
