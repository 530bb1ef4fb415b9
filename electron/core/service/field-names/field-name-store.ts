import { type FieldNames, fieldNamesSchema, type DetectableName } from '../../../contract/field-names.ts'
import { defaultFieldNames } from './default-field-names.ts'
import { settingKey } from '../../platform/settings/connection-settings.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'

export type FieldNameStore = ReturnType<typeof createFieldNameStore>

/** The field names that the spec leaves open, per connection, and how sure we are of each. */
export function createFieldNameStore(repository: Pick<SettingsRepository, 'get' | 'put' | 'remove'>) {
  const keyOf = (connectionId: string) => settingKey(connectionId, 'field-names')
  const saved = (connectionId: string) =>
    repository.get(keyOf(connectionId), fieldNamesSchema) ?? defaultFieldNames
  let trying: { connectionId: string; change: Partial<FieldNames> } | null = null
  const of = (connectionId: string): FieldNames =>
    trying?.connectionId === connectionId ? { ...saved(connectionId), ...trying.change } : saved(connectionId)
  return {
    of,
    /** Saves the names. A changed value counts as set manually. */
    set(connectionId: string, value: FieldNames): FieldNames {
      const merged = markChanges(of(connectionId), value)
      repository.put(keyOf(connectionId), merged)
      return merged
    },
    reset(connectionId: string): FieldNames {
      repository.remove(keyOf(connectionId))
      return defaultFieldNames
    },
    saveVerified(
      connectionId: string,
      name: DetectableName,
      value: FieldNames[DetectableName]['value'],
    ): void {
      repository.put(keyOf(connectionId), { ...saved(connectionId), [name]: { value, provenance: 'proven' } })
    },
    /** Keeps a verified value as an assumption. */
    withdraw(connectionId: string, name: DetectableName): void {
      const now = saved(connectionId)
      repository.put(keyOf(connectionId), { ...now, [name]: { ...now[name], provenance: 'assumed' } })
    },
    /** Uses other names for the calls that `work` starts synchronously. No other call sees them. */
    withNames<T>(connectionId: string, change: Partial<FieldNames>, work: () => Promise<T>): Promise<T> {
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
function markChanges(before: FieldNames, after: FieldNames): FieldNames {
  const entries = Object.entries(after).map(([name, entry]) => {
    const known = before[name as keyof FieldNames]
    const same = JSON.stringify(known.value) === JSON.stringify(entry.value)
    return [name, same ? known : { ...entry, provenance: 'set by hand' as const }]
  })
  return Object.fromEntries(entries) as FieldNames
}
