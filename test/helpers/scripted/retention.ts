import type { Retention } from '#contract/live/retention.ts'
import type { Script } from './script.ts'
import { ago, dayMs, hourMs } from './broadcast.ts'

/** Stored events of 26 days with a limit of 90, and settings that would delete a quarter of them. */
export function scriptedRetention(): Script['retention'] {
  const retention: Retention = {
    settings: { deleteAfterDays: 90, maxMb: null, keepAtLeastDays: 7 },
    events: 1_204_518,
    oldestAt: ago(26 * dayMs),
    usedBytes: 1_410_000_000,
    fileBytes: 1_620_000_000,
    freeBytes: 180_000_000,
    running: null,
    last: { at: ago(hourMs), deleted: 18_204 },
    overLimit: false,
    asOf: ago(0),
  }
  return {
    get: () => retention,
    preview: ({ deleteAfterDays }) =>
      deleteAfterDays !== null && deleteAfterDays < 26
        ? { events: 301_129, before: ago(deleteAfterDays * dayMs) }
        : { events: 0, before: null },
    set: (settings) => ({ ...retention, settings }),
  }
}
