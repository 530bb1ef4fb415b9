const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Replaces values at any depth of a body. */
function mapped(value: unknown, change: (value: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, name))
  if (value === null || typeof value !== 'object') return change(value, name)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, change, key)]))
}

/** Statuses in capitals. */
export const withCapitals = (body: unknown) =>
  mapped(body, (value, name) =>
    name === 'status' && typeof value === 'string' ? value.toUpperCase() : value,
  )

/** Times of the year 1, as some services write "none". */
export const withYearOne = (body: unknown) =>
  mapped(body, (value) => (typeof value === 'string' && time.test(value) ? '0001-01-01T00:00:00Z' : value))

/** The first record of a list is a text. */
export function withBrokenRecord(body: unknown): unknown {
  if (Array.isArray(body)) return ['no record', ...(body as unknown[]).slice(1)]
  const list = body as { data?: unknown } | null
  return Array.isArray(list?.data) ? { ...list, data: withBrokenRecord(list.data) } : body
}
