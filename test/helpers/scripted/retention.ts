import type { Retention } from '#contract/live/retention.ts'
import type { Script } from './script.ts'

/** Stored events of 26 days with a limit of 90, and settings that would delete a quarter of them. */
export function scriptedRetention(): Script['retention'] {
  let settings: Retention['settings'] = { deleteAfterDays: 90, maxMb: null, keepAtLeastDays: 7 }
  const get = (): Retention => ({
    settings,
    events: 1_204_518,
    oldestAt: new Date(Date.now() - 26 * 86_400_000).toISOString(),
    usedBytes: 1_410_000_000,
    fileBytes: 1_620_000_000,
    freeBytes: 180_000_000,
    running: null,
    last: { at: new Date(Date.now() - 3_600_000).toISOString(), deleted: 18_204 },
    overLimit: false,
    asOf: new Date().toISOString(),
  })
  return {
    get,
    preview: ({ deleteAfterDays }) =>
      deleteAfterDays !== null && deleteAfterDays < 26
        ? { events: 301_129, before: new Date(Date.now() - deleteAfterDays * 86_400_000).toISOString() }
        : { events: 0, before: null },
    set(wanted) {
      settings = wanted
      return get()
    },
  }
}
