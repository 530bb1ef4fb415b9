import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'

/** What kind of long work it is. Each has a page of its own where its result is seen. */
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
  'dialect-probe',
  'analytics-days',
  'message-release',
  'recovery',
  'recording',
  'erase',
  'backup',
])
export type TaskKind = z.infer<typeof taskKindSchema>

/**
 * `waiting` for its turn, `running`, `paused` by the operator or, with a `problem`, by something that must be put right
 * first; `done`, `failed` and `cancelled` are ends. `interrupted` was stopped by the end of the console and can be resumed.
 */
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

/** A long piece of work: shown in the task centre, and kept over a restart. */
export const taskSchema = z.object({
  id: z.string(),
  kind: taskKindSchema,
  /** What it works on, as the operator knows it: a file's name, a count of contacts. */
  subject: z.string(),
  state: taskStateSchema,
  /** `total` is null while it is not known. */
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
  /** Of the progress unit, over the last seconds; null when it cannot be told. */
  ratePerSecond: z.number().nullable(),
  /** Milliseconds until it is done at this rate; null when it cannot be told. */
  etaMs: z.number().nullable(),
  /** What came of it, by name of the count: `created: 12`. Counts so far while it runs. */
  counts: z.record(z.string(), z.number()),
  /** The record it belongs to (import id, batch id, check id), for the link to its page. */
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
  /** Every task that is not dismissed, newest first, at most 200: at once, then after each change (at most ten a second). */
  watch: procedure.output(eventIterator(z.object({ tasks: z.array(taskSchema), asOf: isoTime }))),
  get: procedure.input(byId).output(taskSchema),
  /** Takes effect after the step under way. TASK_NOT_POSSIBLE in a state that does not allow it. */
  pause: procedure.input(byId).output(taskSchema),
  resume: procedure.input(byId).output(taskSchema),
  /** What was done until then stays done; each task's page says what that is. */
  cancel: procedure.input(byId).output(taskSchema),
  /** Takes ended tasks off the list; their results stay on their pages. Without an id: all that have ended. */
  dismiss: procedure.input(z.object({ id: z.string().optional() })).output(z.object({ dismissed: z.int() })),
}
