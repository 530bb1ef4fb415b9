import * as z from 'zod'
import { AppError } from '../../../contract/errors.ts'
import { type ConnectionSetting, settingKey } from './connection-settings.ts'
import type { SettingsRepository } from './settings.repository.ts'

/**
 * Named filters of one connection, such as those of Live events, in the settings. At most `max`. One that can't be read, such as a newer
 * version's, isn't used and stays as it is until one with its name is saved or removed.
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
  const nameOf = (item: unknown) => z.object({ name: z.string() }).safeParse(item).data?.name ?? ''

  function list() {
    const filters = stored().flatMap(read)
    const unreadable = stored().filter((item) => read(item).length === 0)
    return { filters, unreadable: unreadable.map(nameOf) }
  }

  const without = (name: string) => stored().filter((item) => nameOf(item) !== name)

  function put(items: unknown[]) {
    settings.put(
      key,
      items.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), 'en')),
    )
    return list()
  }

  return {
    /** By name; of unreadable ones only the names. */
    list,
    /** Replaces one with the same name. Throws INVALID_INPUT when there are too many. */
    save(item: T) {
      const others = without(item.name)
      if (others.length >= max)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.filtersMax', max } })
      return put([...others, item])
    },
    remove: (removed: string) => put(without(removed)),
  }
}
