import type { Dice } from '../dice.ts'
import { type FaultDefinition, type FaultName, type FaultOptions, faultTable } from './fault-table.ts'

export interface ActiveFault {
  name: FaultName
  options: FaultOptions
  happened: number
}

/** The one fault scenario in force, if any. */
export interface Faults {
  /**
   * Puts a fault in the place of the one before; null clears.
   * Throws an Error that names the known faults when there is none of that name.
   */
  set(name: string | null, options?: FaultOptions): void
  active(): ActiveFault | null
  /** The fault that bears on this request, counted as happening, or null. `path` is below the base URL. */
  onRequest(method: string, path: string): ActiveFault | null
  /** The fault that bears on this webhook delivery, counted as happening, or null. */
  onDelivery(): FaultName | null
}

const defaults: Partial<Record<FaultName, FaultOptions>> = {
  'token-expires-mid-batch': { after: 20, count: 1 },
}

/** Holds the active fault and decides, seeded, which requests and deliveries it hits. */
export function createFaults(dice: Dice): Faults {
  let active: ActiveFault | null = null
  let definition: FaultDefinition | undefined
  let seen = 0

  function happens(): boolean {
    if (!active) return false
    const { after = 0, count = Infinity, probability = 1 } = active.options
    seen++
    if (seen <= after || active.happened >= count) return false
    if (probability < 1 && !dice.chance(probability)) return false
    active.happened++
    return true
  }

  return {
    set(name, options = {}) {
      seen = 0
      if (name === null) {
        active = null
        return
      }
      definition = faultTable.find((candidate) => candidate.name === name)
      if (!definition)
        throw new Error(
          `There is no fault "${name}". Known: ${faultTable.map((fault) => fault.name).join(', ')}.`,
        )
      const known = definition.name as FaultName
      active = { name: known, options: { ...defaults[known], ...options }, happened: 0 }
    },
    active: () => active && { ...active },
    onRequest(method, path) {
      if (!active || definition?.kind !== 'http') return null
      const wanted = active.options.path ?? definition.path
      if (wanted === undefined ? path.startsWith('/auth/') : !path.startsWith(wanted)) return null
      if (active.options.method !== undefined && active.options.method !== method) return null
      return happens() ? active : null
    },
    onDelivery() {
      if (!active || definition?.kind !== 'webhook') return null
      return happens() ? active.name : null
    },
  }
}
