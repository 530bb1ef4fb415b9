import type { ServiceEvent } from './wire.ts'

/** Names a subscription may be created with and what each stands for in the list. */
const families = new Map<string, readonly string[]>([
  ['dlr', ['message.submitted', 'message.delivered', 'message.failed', 'message.expired']],
  ['mo', ['message.received']],
])

const dottedNames = new Set([...families.values()].flat())

/** Every event name the sandbox accepts. */
export const eventNames: readonly string[] = [...families.keys(), ...dottedNames]

/**
 * The names as the subscription list shows them: `dlr` and `mo` spelled out as dotted names, without doubles.
 * Null when a name is unknown.
 */
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
