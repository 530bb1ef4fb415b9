/** Tags as the contact store keeps them: a JSON object of strings. Null for anything else: other rows go on. */
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

/** Tag keys that differ only in case are one tag. */
export const foldTagKey = (key: string): string => key.normalize('NFC').toLowerCase()

/** `before` with tags set and removed. Existing keys keep their spelling; `__proto__` is a plain key. */
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
