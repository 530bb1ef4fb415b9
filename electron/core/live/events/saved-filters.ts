import * as z from 'zod'
import { type SavedFilter, savedFilterSchema, savedFiltersMax } from '../../../contract/live/events.ts'
import { AppError } from '../../../contract/errors.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'

/** Named filters of the Live events page, one list per connection. */
export function createSavedFilters(settings: Pick<SettingsRepository, 'get' | 'put'>, connectionId: string) {
  const key = `connection/${connectionId}/event-filters`
  const list = () => settings.get(key, z.array(savedFilterSchema)) ?? []
  const without = (name: string) => list().filter((each) => each.name !== name)

  function store(filters: SavedFilter[]): SavedFilter[] {
    filters.sort((a, b) => a.name.localeCompare(b.name, 'en'))
    settings.put(key, filters)
    return filters
  }

  return {
    /** By name. */
    list,
    /** Replaces one with the same name. Throws INVALID_INPUT when there are too many. */
    save(filter: SavedFilter): SavedFilter[] {
      const others = without(filter.name)
      if (others.length >= savedFiltersMax)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.filtersMax', max: savedFiltersMax } })
      return store([...others, filter])
    },
    remove: (name: string): SavedFilter[] => store(without(name)),
  }
}
