import { type Appearance, appearanceSchema } from '../../contract/settings.ts'
import { type Dialect, dialectSchema } from '../../contract/dialect.ts'
import { defaultDialect } from '../service-client/dialect.ts'
import type { SettingsRepository } from './settings.repository.ts'

const defaultAppearance: Appearance = { theme: 'system', density: 'compact' }

/** What an operator sets: the console's looks, and per connection the dialect. */
export interface SettingsService {
  appearance(): Appearance
  setAppearance(value: Appearance): Appearance
  dialect(connectionId: string): Dialect
  /** Keeps the dialect; a value that differs from before counts as set by hand. */
  setDialect(connectionId: string, value: Dialect): Dialect
  resetDialect(connectionId: string): Dialect
}

export function createSettingsService(repository: SettingsRepository): SettingsService {
  const dialectKey = (connectionId: string) => `connection/${connectionId}/dialect`
  const dialect = (connectionId: string) =>
    repository.get(dialectKey(connectionId), dialectSchema) ?? defaultDialect
  return {
    appearance: () => repository.get('appearance', appearanceSchema) ?? defaultAppearance,
    setAppearance(value) {
      repository.put('appearance', value)
      return value
    },
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
