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

const holeReasons: Record<string, string> = {
  closed: 'console closed',
  crashed: 'console crashed',
  moved: 'listener moved',
  suspended: 'computer asleep',
  'not-stored': 'deliveries could not be stored',
  switched: 'another connection was open',
  restarted: 'signed in again',
  'unreachable-address': 'the listener had moved; nothing arrived at the old address',
}

/** Why the listener could not answer, in words. What is not known is shown as it came. */
export function describeHoleReason(reason: string): string {
  return Object.hasOwn(holeReasons, reason) ? holeReasons[reason]! : reason
}
