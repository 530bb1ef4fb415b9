import * as z from 'zod'
import { AppError } from '../../../contract/errors.ts'
import { type ConnectionSetting, settingKey } from './connection-settings.ts'
import type { SettingsRepository } from './settings.repository.ts'

/**
 * Named filters of one connection, such as those of Live events, in the settings. At most `max`. One that
 * can't be read, such as a newer version's, isn't used and stays as it is.
 */
export function createNamedList<T extends { name: string }>(
  settings: Pick<SettingsRepository, 'get' | 'put'>,
  {
    connectionId,
    key: name,
    schema,
    max,
  }: { connectionId: string; key: ConnectionSetting; schema: z.ZodType<T>; max: number },
) {
  const key = settingKey(connectionId, name)
  const stored = () => settings.get(key, z.array(z.unknown())) ?? []
  const read = (item: unknown): T[] => {
    const { data } = schema.safeParse(item)
    return data === undefined ? [] : [data]
  }
  const list = () => stored().flatMap(read)
  const without = (removed: string) => list().filter((each) => each.name !== removed)

  function store(items: T[]): T[] {
    items.sort((a, b) => a.name.localeCompare(b.name, 'en'))
    settings.put(key, [...items, ...stored().filter((item) => read(item).length === 0)])
    return items
  }

  return {
    /** By name. */
    list,
    /** Replaces one with the same name. Throws INVALID_INPUT when there are too many. */
    save(item: T): T[] {
      const others = without(item.name)
      if (others.length >= max)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.filtersMax', max } })
      return store([...others, item])
    },
    remove: (removed: string): T[] => store(without(removed)),
  }
}
