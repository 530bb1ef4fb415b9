import * as z from 'zod'
import { isoTime, procedure, saidSchema } from '../define.ts'

/** Places that personal data is removed from. */
export const erasedPlaceSchema = z.enum([
  'contacts',
  'deleted-contacts',
  'import-values',
  'outbox',
  'unconfirmed',
  'holds',
  'deliveries',
  'events',
  'lookups',
  'answers',
  'history',
  'settings',
  'files',
])
export type ErasedPlace = z.infer<typeof erasedPlaceSchema>

/** What an erasure keeps, and why. */
export const keptReasonSchema = z.enum([
  'dnc-list',
  'hashed-hold',
  'team',
  'on-service',
  'other-contact',
  'outbox-unconfirmed',
  'file-in-use',
  'file-left',
])
/**
 * A file that was removed: an import or an export; or one that lost the person's rows: the rejected rows of an import, a send. Names hold
 * neither the number nor an email.
 */
export const erasedFileSchema = z.object({ kind: z.enum(['file', 'rejected', 'send']), name: saidSchema })
export type ErasedFile = z.infer<typeof erasedFileSchema>

export type KeptReason = z.infer<typeof keptReasonSchema>

/** Names of colleagues who erased the number too, keep it, or haven't answered, as far as is known. */
const erasedBySchema = z.object({
  erased: z.array(z.string()),
  kept: z.array(z.string()),
  missing: z.array(z.string()),
  /** Entries that stay in the relay's log; null until it was searched. */
  inLog: z.int().nullable(),
})
export type ErasedBy = z.infer<typeof erasedBySchema>

/** The result of an erasure. Anonymous: `ending` is the last two digits of the number. */
export const eraseReceiptSchema = z.object({
  id: z.string(),
  ending: z.string(),
  taskId: z.string(),
  startedAt: isoTime,
  /** Null until everything is removed. */
  endedAt: isoTime.nullable(),
  removed: z.array(z.object({ place: erasedPlaceSchema, count: z.int() })),
  kept: z.array(z.object({ reason: keptReasonSchema, count: z.int() })),
  /** Of the removed files, those whose names are known. */
  files: z.array(erasedFileSchema),
  /** Null if no colleague was asked. */
  team: erasedBySchema.nullable(),
})
export type EraseReceipt = z.infer<typeof eraseReceiptSchema>

export const eraseContract = {
  /**
   * Erases one number from this computer, as a task that resumes after a restart. `confirm` repeats the number. `keepHold` stores a
   * keyed hash, so the number stays on hold. `confirmName` on production. PHONE_INVALID, CONFIRMATION_MISMATCH, INVALID_INPUT.
   */
  start: procedure
    .input(
      z.object({
        phone: z.string().min(3).max(64),
        confirm: z.string().max(64),
        keepHold: z.boolean(),
        confirmName: z.string().optional(),
      }),
    )
    .output(eraseReceiptSchema),
  /** Past erasures, newest first, at most 100. */
  receipts: procedure.output(z.object({ items: z.array(eraseReceiptSchema) })),
}
