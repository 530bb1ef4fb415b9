import * as z from 'zod'
import { type Appearance, appearanceSchema } from '../../contract/settings.ts'
import { type Dialect, dialectSchema, type ProbedName } from '../../contract/dialect.ts'
import { defaultDialect } from '../service-client/dialect.ts'
import type { SettingsRepository } from './settings.repository.ts'

const defaultAppearance: Appearance = { theme: 'system', density: 'compact' }

/** What an operator sets: the console's looks, and per connection the dialect; and where the window was last. */
export interface SettingsService {
  appearance(): Appearance
  setAppearance(value: Appearance): Appearance
  /** Where the window was last with this connection, or null. */
  place(connectionId: string): string | null
  setPlace(connectionId: string, path: string): void
  dialect(connectionId: string): Dialect
  /** Keeps the dialect; a value that differs from before counts as set by hand. */
  setDialect(connectionId: string, value: Dialect): Dialect
  resetDialect(connectionId: string): Dialect
  /** Keeps what a probe proved. */
  keepProven(connectionId: string, name: ProbedName, value: Dialect[ProbedName]['value']): void
  /** Takes a proof back: the value stays in use, as an assumption. */
  withdrawProof(connectionId: string, name: ProbedName): void
  /** Uses other names while `work` begins: a call reads the names when it is made, so no other call sees them. */
  withDialect<T>(connectionId: string, change: Partial<Dialect>, work: () => Promise<T>): Promise<T>
}

export function createSettingsService(repository: SettingsRepository): SettingsService {
  const dialectKey = (connectionId: string) => `connection/${connectionId}/dialect`
  const placeKey = (connectionId: string) => `connection/${connectionId}/place`
  const saved = (connectionId: string) =>
    repository.get(dialectKey(connectionId), dialectSchema) ?? defaultDialect
  let trying: { connectionId: string; change: Partial<Dialect> } | null = null
  const dialect = (connectionId: string) =>
    trying?.connectionId === connectionId ? { ...saved(connectionId), ...trying.change } : saved(connectionId)
  return {
    appearance: () => repository.get('appearance', appearanceSchema) ?? defaultAppearance,
    setAppearance(value) {
      repository.put('appearance', value)
      return value
    },
    place: (connectionId) => repository.get(placeKey(connectionId), z.string()) ?? null,
    setPlace: (connectionId, path) => repository.put(placeKey(connectionId), path),
    dialect,
    setDialect(connectionId, value) {
      const merged = markChanges(dialect(connectionId), value)
      repository.put(dialectKey(connectionId), merged)
      return merged
    },
    resetDialect(connectionId) {
      repository.remove(dialectKey(connectionId))
      return defaultDialect
    },
    keepProven(connectionId, name, value) {
      repository.put(dialectKey(connectionId), {
        ...saved(connectionId),
        [name]: { value, provenance: 'proven' },
      })
    },
    withdrawProof(connectionId, name) {
      const now = saved(connectionId)
      repository.put(dialectKey(connectionId), { ...now, [name]: { ...now[name], provenance: 'assumed' } })
    },
    withDialect(connectionId, change, work) {
      trying = { connectionId, change }
      try {
        return work()
      } finally {
        trying = null
      }
    },
  }
}

/** `after` with every entry whose value differs from `before` marked as set by hand; the others keep where they came from. */
function markChanges(before: Dialect, after: Dialect): Dialect {
  const entries = Object.entries(after).map(([name, entry]) => {
    const known = before[name as keyof Dialect]
    const same = JSON.stringify(known.value) === JSON.stringify(entry.value)
    return [name, same ? known : { ...entry, provenance: 'set by hand' as const }]
  })
  return Object.fromEntries(entries) as Dialect
}
