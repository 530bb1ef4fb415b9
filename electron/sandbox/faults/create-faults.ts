import type { Dice } from '../dice.ts'
import { type FaultDefinition, type FaultName, type FaultOptions, faultTable } from './fault-table.ts'

export interface ActiveFault {
  name: FaultName
  options: FaultOptions
  happened: number
}

export type Faults = ReturnType<typeof createFaults>

const defaults: Partial<Record<FaultName, FaultOptions>> = {
  'token-expires-mid-batch': { after: 20, count: 1 },
}

/** Holds the active fault and decides, seeded, which requests and deliveries it hits. */
export function createFaults(dice: Dice) {
  let active: ActiveFault | null = null
  let definition: FaultDefinition | undefined
  let matched = 0

  function happens(): boolean {
    if (!active) return false
    const { after = 0, count = Infinity, probability = 1 } = active.options
    matched++
    if (matched <= after || active.happened >= count) return false
    if (probability < 1 && !dice.chance(probability)) return false
    active.happened++
    return true
  }

  return {
    /** Replaces the fault; null clears it. Throws an Error that lists the known names for an unknown one. */
    set(name: string | null, options: FaultOptions = {}): void {
      matched = 0
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
    active: (): ActiveFault | null => active && { ...active },
    /** The fault that hits this request, counted, or null. `path` is below the base URL. */
    onRequest(method: string, path: string): ActiveFault | null {
      if (!active || !definition || definition.kind === 'webhook') return null
      const prefix = active.options.path ?? definition.path
      if (prefix === undefined ? path.startsWith('/auth/') : !path.startsWith(prefix)) return null
      if (active.options.method !== undefined && active.options.method !== method) return null
      return happens() ? active : null
    },
    /** The fault that hits this webhook delivery, counted, or null. */
    onDelivery(): FaultName | null {
      if (!active || !definition || definition.kind === 'http') return null
      return happens() ? active.name : null
    },
  }
}
