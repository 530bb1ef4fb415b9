import * as z from 'zod'
import { isoTime, procedure } from '../define.ts'

const days = z.int().min(1).max(3_650)

/** How long events are kept. */
export const retentionSettingsSchema = z
  .object({
    /** Deletes older events; null keeps all. After a silence, counts from the newest delivery and `keepAtLeastDays`. */
    deleteAfterDays: days.nullable(),
    /** Deletes the oldest events while events and their deliveries use more; MiB, null for no limit. */
    maxMb: z.int().min(10).max(10_000_000).nullable(),
    /** Events this recent are never deleted, even over the size limit. */
    keepAtLeastDays: days,
  })
  .refine(
    ({ deleteAfterDays, keepAtLeastDays }) => deleteAfterDays === null || deleteAfterDays >= keepAtLeastDays,
    { path: ['deleteAfterDays'], message: 'input.retention' },
  )
export type RetentionSettings = z.infer<typeof retentionSettingsSchema>

export const retentionSchema = z.object({
  settings: retentionSettingsSchema,
  events: z.int(),
  /** Arrival of the oldest event; null without any. */
  oldestAt: isoTime.nullable(),
  /** Bytes that deleting all events would free, approximate. */
  usedBytes: z.int(),
  /** Bytes of the files on disk, including other data and free space. */
  fileBytes: z.int(),
  /** Free space inside the files: reused before they grow; the files never shrink. */
  freeBytes: z.int(),
  /** Running deletion. */
  running: z.object({ deleted: z.int() }).nullable(),
  /** Last deletion in this run that removed something. */
  last: z.object({ at: isoTime, deleted: z.int() }).nullable(),
  /** True when the last check found more than `maxMb`, all of it newer than `keepAtLeastDays`. */
  overLimit: z.boolean(),
  asOf: isoTime,
})
export type Retention = z.infer<typeof retentionSchema>

export const retentionContract = {
  get: procedure.output(retentionSchema),
  /** Estimate of the events these settings would delete now, and the latest arrival among them. Changes nothing. */
  preview: procedure
    .input(retentionSettingsSchema)
    .output(z.object({ events: z.int(), before: isoTime.nullable() })),
  /** Saves the settings and starts deleting. Can't be undone. */
  set: procedure.input(retentionSettingsSchema).output(retentionSchema),
}
