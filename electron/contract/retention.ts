import * as z from 'zod'
import { isoTime, procedure } from './define.ts'

const days = z.int().min(1).max(3_650)

/** How long events are kept here. */
export const retentionSettingsSchema = z
  .object({
    /**
     * Events that arrived longer ago are deleted; null keeps them however old they are. After a silence, ages are counted from the newest
     * delivery and the days kept at least.
     */
    deleteAfterDays: days.nullable(),
    /** While events and the deliveries they were made of need more, the oldest are deleted. MiB; null for any size. */
    maxMb: z.int().min(10).max(10_000_000).nullable(),
    /** What arrived within so many days is never deleted, whatever its size. */
    keepAtLeastDays: days,
  })
  .refine(
    ({ deleteAfterDays, keepAtLeastDays }) => deleteAfterDays === null || deleteAfterDays >= keepAtLeastDays,
    {
      path: ['deleteAfterDays'],
      message: 'Events cannot be deleted after fewer days than they are kept at least',
    },
  )
export type RetentionSettings = z.infer<typeof retentionSettingsSchema>

export const retentionSchema = z.object({
  settings: retentionSettingsSchema,
  /** Events kept now. */
  events: z.int(),
  /** Arrival of the oldest of them, null without any. */
  oldestAt: isoTime.nullable(),
  /** Bytes that deleting all of them could free, about: their deliveries and their rows. */
  usedBytes: z.int(),
  /** Bytes on the disk of the files they are in: with what else these hold, and room that deletions left. */
  fileBytes: z.int(),
  /** That room: it is used again before the files grow, and the files do not become smaller. */
  freeBytes: z.int(),
  /** The deletion that is under way. */
  running: z.object({ deleted: z.int() }).nullable(),
  /** The last deletion of this run of the console that had something to do. */
  last: z.object({ at: isoTime, deleted: z.int() }).nullable(),
  /** True when the last look found more in use than `maxMb` and nothing that may go: all of it is newer than `keepAtLeastDays`. */
  overLimit: z.boolean(),
  asOf: isoTime,
})
export type Retention = z.infer<typeof retentionSchema>

export const retentionContract = {
  get: procedure.output(retentionSchema),
  /** About how many events settings would delete now, and when the newest of them arrived at the latest. Nothing is changed. */
  preview: procedure
    .input(retentionSettingsSchema)
    .output(z.object({ events: z.int(), before: isoTime.nullable() })),
  /** Keeps the settings and begins to delete what they no longer keep. It cannot be had back. */
  set: procedure.input(retentionSettingsSchema).output(retentionSchema),
}
