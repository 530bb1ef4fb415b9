import { nextWithin } from '../../../lib/local-hours.ts'
import { countryOf } from '../../../lib/phone/country-of.ts'
import type { StoredItem } from './stored-item.ts'

const dayMs = 86_400_000

/** When an item may leave that must wait for its recipient's hours; null when it may leave now. */
export function waitsForHours({ hours, phone }: StoredItem, nowMs: number): number | null {
  if (hours === null) return null
  const country = countryOf(phone.slice(1))
  // The local time is unknown, or its zones share none within the hours: looks again in a day. A person can cancel it.
  const ms = (country === null ? null : nextWithin(country, hours, nowMs)) ?? nowMs + dayMs
  return ms > nowMs ? ms : null
}
