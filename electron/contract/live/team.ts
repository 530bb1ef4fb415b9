import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure, saidSchema } from '../define.ts'

/** How colleagues see who put a number on hold. */
export const teamNameSchema = z.string().trim().min(1).max(60)

/** The team of this connection: the consoles that share holds, sends and turns over a relay. The team key is never sent back to the page. */
export const teamViewSchema = z.object({
  /** Of this computer; null while it is in no team. */
  name: z.string().nullable(),
  hasRelay: z.boolean(),
  /** `reading`: more entries follow. `failed`: tried again soon. */
  state: z.enum(['connecting', 'reading', 'current', 'failed']),
  /** Why it failed. */
  problem: saidSchema.nullable(),
  /** When all of the team's holds were last known. */
  readAt: isoTime.nullable(),
  /** False with a read-only token: own holds aren't shared. */
  mayPost: z.boolean(),
  /** How far the log is read. */
  seq: z.int(),
  /** Own changes that the relay doesn't have. */
  waiting: z.int(),
  /** Active holds without the proof of the team key. */
  unverified: z.int(),
  /** Entries of the log that couldn't be read, lacked proof, or were holds over the limit of those without. */
  skipped: z.int(),
  /** Who asked the relay in the last 30 s, this computer first, with how many of all items its outbox has sent; empty unless `current`. */
  here: z.array(
    z.object({ name: z.string(), connection: z.string(), sent: z.int(), total: z.int(), isOwn: z.boolean() }),
  ),
  /** Numbers that colleagues erased and that were neither erased nor kept here. `phone`: null without the team key. */
  erasures: z.array(
    z.object({ id: z.string(), author: z.string(), at: isoTime, phone: z.string().nullable() }),
  ),
})
export type TeamView = z.infer<typeof teamViewSchema>

/** Something that someone of the team did, as far as this computer knows it. */
const teamChangeSchema = z.object({
  id: z.string(),
  at: isoTime,
  /** Null for this computer. */
  by: z.string().nullable(),
  what: z
    .enum([
      ...([
        'hold',
        'opt-out',
        'possible-opt-out',
        'sent',
        'assigned',
        'done',
        'open',
        'note',
        'number-note',
        'error-note',
      ] as const),
      ...(['contact-filter', 'event-filter', 'alert-rule', 'auto-pause'] as const),
      ...(['erase', 'erased', 'kept', 'other'] as const),
    ])
    .catch('other'),
  /** A number, an error code, a filter's name or a campaign's id; empty for the default alert rule. */
  about: z.string(),
  /** A reason, a note, or a campaign's name. */
  text: z.string(),
  /** Of messages. */
  count: z.int(),
  isRemoved: z.boolean(),
})
export type TeamChange = z.infer<typeof teamChangeSchema>

export const teamContract = {
  /** What the team did, the newest first. Erased people aren't in it. */
  changes: procedure
    .input(
      z.object({
        show: z.enum(['all', 'holds', 'sends', 'conversations', 'values']).default('all'),
        limit: z.int().min(1).max(500).default(200),
        cursor: z.int().optional(),
      }),
    )
    .output(z.object({ items: z.array(teamChangeSchema), nextCursor: z.int().nullable() })),
  /** The team's state: now, then after changes. */
  watch: procedure.output(eventIterator(teamViewSchema)),
  /** Shares holds from now on, and all active ones. INVALID_INPUT without a relay, TEAM_RELAY_FAILED, TEAM_KEY_WRONG. */
  join: procedure
    .input(
      z.object({
        name: teamNameSchema,
        key: z
          .string()
          .trim()
          .regex(/^[\w-]{43}$/, 'input.teamKey'),
      }),
    )
    .output(teamViewSchema),
  /** Keeps a number that a colleague erased, and tells the team. */
  keepErased: procedure.input(z.object({ id: z.string() })).output(teamViewSchema),
  /** Shares nothing more; what waits is posted after joining again. The team's holds stay here. */
  leave: procedure.output(teamViewSchema),
}
