import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, procedure, saidSchema } from '../define.ts'

/** Kinds of long-running work. Each has its own page for the result. */
export const taskKindSchema = z.enum([
  'import',
  'import-undo',
  'export',
  'bulk-tag',
  'bulk-delete',
  'bulk-push',
  'ott-prepare',
  'ott-queue',
  'ott-results',
  'dnc-sync',
  'dnc-check',
  'error-code-fill',
  'field-name-detection',
  'message-release',
  'recovery',
  'signed-export',
  'erase',
  'backup',
])
export type TaskKind = z.infer<typeof taskKindSchema>

/** `paused`: by the operator, or until `problem` is fixed. `interrupted`: Switchboard stopped; can be resumed. */
export const taskStateSchema = z.enum([
  'waiting',
  'running',
  'paused',
  'interrupted',
  'done',
  'failed',
  'cancelled',
])
export type TaskState = z.infer<typeof taskStateSchema>

/** Long-running work in the task centre; survives a restart. */
export const taskSchema = z.object({
  id: z.string(),
  kind: taskKindSchema,
  /** What it works on: a file name, a count of contacts. */
  subject: saidSchema,
  state: taskStateSchema,
  /** `total` null while unknown. */
  progress: z.object({
    done: z.number(),
    total: z.number().nullable(),
    unit: z.enum([
      'rows',
      'contacts',
      'numbers',
      'recipients',
      'entries',
      'pages',
      'requests',
      'messages',
      'bytes',
    ]),
  }),
  /** Progress units over the last seconds; null when unknown. */
  ratePerSecond: z.number().nullable(),
  /** Milliseconds left at this rate; null when unknown. */
  etaMs: z.number().nullable(),
  /** Results by name, e.g. `created: 12`; updated while it runs. */
  counts: z.record(z.string(), z.number()),
  /** Import, batch or check id, for the link to its page. */
  refId: z.string().nullable(),
  can: z.object({ pause: z.boolean(), resume: z.boolean(), cancel: z.boolean() }),
  problem: errorViewSchema.nullable(),
  createdAt: isoTime,
  startedAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
})
export type Task = z.infer<typeof taskSchema>

const byId = z.object({ id: z.string() })

export const tasksContract = {
  /** Tasks not dismissed, newest first: all that have not ended and at most 200 others. Now, then after changes (at most 10/s). */
  watch: procedure.output(eventIterator(z.object({ tasks: z.array(taskSchema), asOf: isoTime }))),
  get: procedure.input(byId).output(taskSchema),
  /** Takes effect after the current step. TASK_NOT_POSSIBLE in other states. */
  pause: procedure.input(byId).output(taskSchema),
  resume: procedure.input(byId).output(taskSchema),
  /** Keeps what was done; each task's page says what that is. */
  cancel: procedure.input(byId).output(taskSchema),
  /** Removes one or all ended tasks from the list. Results stay on their pages. */
  dismiss: procedure.input(z.object({ id: z.string().optional() })).output(z.object({ dismissed: z.int() })),
}
