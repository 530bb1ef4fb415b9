import { AppError } from '../../../contract/errors.ts'
import type { SharedValues } from './shared-values.ts'

/**
 * Named filters that a team shares, such as those of Live events. One that can't be read, such as a newer version's, isn't used and stays
 * as it is until one with its name is saved or removed. `max`: refuses more.
 */
export function createNamedList<K extends 'contact-filter' | 'event-filter'>(
  shared: SharedValues,
  kind: K,
  max: number,
) {
  type Filter = NonNullable<ReturnType<typeof shared.get<K>>['value']>
  function list() {
    const all = shared.list(kind).sort((a, b) => a.key.localeCompare(b.key, 'en'))
    const filters = all.flatMap(({ key, value, author }) =>
      value === null ? [] : [{ name: key, by: author, filter: value as Filter }],
    )
    return { filters, unreadable: all.flatMap(({ key, isUnreadable }) => (isUnreadable ? [key] : [])) }
  }
  return {
    /** By name, with a colleague's name as `by`; of unreadable ones only the names. */
    savedFilters: list,
    /** Replaces one with the same name. Throws INVALID_INPUT when there are too many. */
    saveFilter({ name, filter }: { name: string; filter: Filter }) {
      const { filters, unreadable } = list()
      const others = [...filters.map((one) => one.name), ...unreadable].filter((one) => one !== name)
      if (others.length >= max)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.filtersMax', max } })
      shared.put(kind, name, filter)
      return list()
    },
    removeFilter({ name }: { name: string }) {
      const { value, isUnreadable } = shared.get(kind, name)
      if (value !== null || isUnreadable) shared.put(kind, name, null)
      return list()
    },
  }
}
