import * as z from 'zod'
import { errorViewSchema, isoTime, procedure, saidSchema, nothing } from '../define.ts'
import { languageCodes } from '../texts.ts'
import { fieldNamesSchema, detectableNameSchema, provenanceSchema } from '../field-names.ts'

export const appearanceSchema = z.object({
  theme: z.enum(['system', 'dark', 'light']),
  density: z.enum(['compact', 'comfortable']),
  /** Languages without texts fall back to English. */
  language: z.enum(['system', ...languageCodes]).default('system'),
})
export type Appearance = z.infer<typeof appearanceSchema>

export const aboutSchema = z.object({
  version: z.string(),
  /** For a support request. */
  parts: z.array(z.object({ name: z.string(), version: z.string() })),
  capabilities: z.array(z.string()),
  dataDir: z.string(),
})

/** One line of the diagnostics; safe to send to support. Codes and versions are the same in every language. */
export const diagnosticFactSchema = z.object({ name: saidSchema, value: saidSchema })
export type DiagnosticFact = z.infer<typeof diagnosticFactSchema>

/** Result of detecting one field name. */
export const detectionSchema = z.object({
  name: detectableNameSchema,
  /** The last or the verified name tried. */
  value: z.string(),
  /** Of the name in use. */
  provenance: provenanceSchema,
  /** `not-provable`: nothing to compare with; `refuted`: every candidate failed; `failed`: an error. */
  outcome: z.enum(['proven', 'not-provable', 'refuted', 'failed']),
  /** The request and the answer, as text. */
  evidence: saidSchema,
  problem: errorViewSchema.nullable(),
  asOf: isoTime,
})
export type Detection = z.infer<typeof detectionSchema>

export const settingsContract = {
  getAppearance: procedure.output(appearanceSchema),
  setAppearance: procedure.input(appearanceSchema).output(appearanceSchema),
  /** Last page and view (after the `#`) of the open connection; null the first time. */
  getPlace: procedure.output(z.object({ path: z.string().nullable() })),
  setPlace: procedure.input(z.object({ path: z.string().max(4_000).startsWith('/') })).output(nothing),
  /** Field names of the open connection with their source. */
  getFieldNames: procedure.output(fieldNamesSchema),
  setFieldNames: procedure.input(fieldNamesSchema).output(fieldNamesSchema),
  resetFieldNames: procedure.output(fieldNamesSchema),
  /**
   * Detects field names with GET requests. A manually set name is tried first and kept; a refuted one becomes
   * `assumed`. Without `names`, detects all.
   */
  detectFieldNames: procedure
    .input(z.object({ names: z.array(detectableNameSchema).optional() }))
    .output(z.object({ taskId: z.string() })),
  /** Last result per name. */
  detections: procedure.output(z.object({ findings: z.array(detectionSchema) })),
  about: procedure.output(aboutSchema),
  /** The state of Switchboard, without secrets or tenant data. */
  diagnostics: procedure.output(z.object({ facts: z.array(diagnosticFactSchema) })),
}
