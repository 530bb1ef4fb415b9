import type { ServiceEvent } from './wire.ts'

/** Names a subscription may use, and the dotted names each is listed as. */
const families = new Map<string, readonly string[]>([
  ['dlr', ['message.submitted', 'message.delivered', 'message.failed', 'message.expired']],
  ['mo', ['message.received']],
])

const dottedNames = new Set([...families.values()].flat())

export const eventNames: readonly string[] = [...families.keys(), ...dottedNames]

/** The names as the subscription list shows them, without duplicates. Null when a name is unknown. */
export function toListedEvents(names: readonly string[]): string[] | null {
  const listed = new Set<string>()
  for (const name of names) {
    const members = families.get(name) ?? (dottedNames.has(name) ? [name] : null)
    if (!members) return null
    for (const member of members) listed.add(member)
  }
  return [...listed]
}

/** The dotted name of an event. */
export function nameOfEvent(event: ServiceEvent): string {
  return event.event === 'mo' ? 'message.received' : `message.${event.status}`
}
