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
