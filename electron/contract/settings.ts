import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'
import { dialectSchema, probedNameSchema, provenanceSchema } from './dialect.ts'

export const appearanceSchema = z.object({
  theme: z.enum(['system', 'dark', 'light']),
  density: z.enum(['compact', 'comfortable']),
  /** `system` follows the system. A language without texts falls back to English. */
  language: z.enum(['system', 'en', 'es']).default('system'),
})
export type Appearance = z.infer<typeof appearanceSchema>

export const aboutSchema = z.object({
  version: z.string(),
  /** Name and version of each part, for a support request. */
  parts: z.array(z.object({ name: z.string(), version: z.string() })),
  capabilities: z.array(z.string()),
  dataDir: z.string(),
})

/** One line of the diagnostics, safe to send to support. */
export const diagnosticFactSchema = z.object({ name: z.string(), value: z.string() })
export type DiagnosticFact = z.infer<typeof diagnosticFactSchema>

/** What a probe found out about one open name, and how. */
export const probeFindingSchema = z.object({
  name: probedNameSchema,
  /** The name tried last, or the proven one. */
  value: z.string(),
  /** Of the name as it is used now. */
  provenance: provenanceSchema,
  /** `proven`; `not-provable` for want of something to compare with; `refuted` when every candidate answered wrongly; `failed` on an error. */
  outcome: z.enum(['proven', 'not-provable', 'refuted', 'failed']),
  /** What was asked and what came back, in words. */
  evidence: z.string(),
  problem: errorViewSchema.nullable(),
  asOf: isoTime,
})
export type ProbeFinding = z.infer<typeof probeFindingSchema>

export const settingsContract = {
  getAppearance: procedure.output(appearanceSchema),
  setAppearance: procedure.input(appearanceSchema).output(appearanceSchema),
  /** Where the window of the active connection was last: page and what it shows, after the `#`. Null before the first time. */
  getPlace: procedure.output(z.object({ path: z.string().nullable() })),
  setPlace: procedure.input(z.object({ path: z.string().max(4_000).startsWith('/') })).output(z.object({})),
  /** The names that the spec leaves open, as used for the active connection, and where each comes from. */
  getDialect: procedure.output(dialectSchema),
  setDialect: procedure.input(dialectSchema).output(dialectSchema),
  resetDialect: procedure.output(dialectSchema),
  /**
   * Finds open names by GETs alone, inside the budget. A name set by hand is tried first and not replaced by another; a proven one
   * that is refuted is assumed again. Without `names`: all that can be.
   */
  probeDialect: procedure
    .input(z.object({ names: z.array(probedNameSchema).optional() }))
    .output(z.object({ taskId: z.string() })),
  /** What the last probe of each name found. */
  probeFindings: procedure.output(z.object({ findings: z.array(probeFindingSchema) })),
  about: procedure.output(aboutSchema),
  /** The state of Switchboard, without secrets or tenant data. */
  diagnostics: procedure.output(z.object({ facts: z.array(diagnosticFactSchema) })),
}
