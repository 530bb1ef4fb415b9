/** Names of fields that say most about a message, first ones first; the spec does not show what an item holds. */
const telling = ['to', 'destination', 'status', 'body', 'created_at', 'id']

/** An item of `recent_messages` in one line: its plain values by name, the telling ones first. */
export function describeRecent(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  const rank = (name: string) => (telling.includes(name) ? telling.indexOf(name) : telling.length)
  return Object.entries(item)
    .filter(([, value]) => value !== null && ['string', 'number', 'boolean'].includes(typeof value))
    .sort(([a], [b]) => rank(a) - rank(b))
    .slice(0, 4)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
    .join(' · ')
}
