import { type Dialect, dialectSchema, type ProbedName } from '../../../contract/dialect.ts'
import { defaultDialect } from './dialect.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'

export type FieldNames = ReturnType<typeof createFieldNames>

/** The field names that the spec leaves open, per connection, and how sure we are of each. */
export function createFieldNames(repository: Pick<SettingsRepository, 'get' | 'put' | 'remove'>) {
  const keyOf = (connectionId: string) => `connection/${connectionId}/dialect`
  const saved = (connectionId: string) => repository.get(keyOf(connectionId), dialectSchema) ?? defaultDialect
  let trying: { connectionId: string; change: Partial<Dialect> } | null = null
  const of = (connectionId: string): Dialect =>
    trying?.connectionId === connectionId ? { ...saved(connectionId), ...trying.change } : saved(connectionId)
  return {
    of,
    /** Saves the names. A changed value counts as set manually. */
    set(connectionId: string, value: Dialect): Dialect {
      const merged = markChanges(of(connectionId), value)
      repository.put(keyOf(connectionId), merged)
      return merged
    },
    reset(connectionId: string): Dialect {
      repository.remove(keyOf(connectionId))
      return defaultDialect
    },
    /** Saves a name that the probe verified. */
    saveVerified(connectionId: string, name: ProbedName, value: Dialect[ProbedName]['value']): void {
      repository.put(keyOf(connectionId), { ...saved(connectionId), [name]: { value, provenance: 'proven' } })
    },
    /** Keeps a verified value as an assumption. */
    withdraw(connectionId: string, name: ProbedName): void {
      const now = saved(connectionId)
      repository.put(keyOf(connectionId), { ...now, [name]: { ...now[name], provenance: 'assumed' } })
    },
    /** Uses other names for the calls that `work` starts synchronously. No other call sees them. */
    withNames<T>(connectionId: string, change: Partial<Dialect>, work: () => Promise<T>): Promise<T> {
      trying = { connectionId, change }
      try {
        return work()
      } finally {
        trying = null
      }
    },
  }
}

/** `after`, with every value that differs from `before` marked as set manually. */
function markChanges(before: Dialect, after: Dialect): Dialect {
  const entries = Object.entries(after).map(([name, entry]) => {
    const known = before[name as keyof Dialect]
    const same = JSON.stringify(known.value) === JSON.stringify(entry.value)
    return [name, same ? known : { ...entry, provenance: 'set by hand' as const }]
  })
  return Object.fromEntries(entries) as Dialect
}
