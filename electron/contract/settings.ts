import * as z from 'zod'
import { procedure } from './define.ts'
import { dialectSchema } from './dialect.ts'

export const appearanceSchema = z.object({
  theme: z.enum(['system', 'dark', 'light']),
  density: z.enum(['compact', 'comfortable']),
})
export type Appearance = z.infer<typeof appearanceSchema>

export const aboutSchema = z.object({
  version: z.string(),
  /** Name and version of each part, for a support request. */
  parts: z.array(z.object({ name: z.string(), version: z.string() })),
  capabilities: z.array(z.string()),
  dataDir: z.string(),
})

export const settingsContract = {
  getAppearance: procedure.output(appearanceSchema),
  setAppearance: procedure.input(appearanceSchema).output(appearanceSchema),
  /** The names that the spec leaves open, as used for the active connection, and where each comes from. */
  getDialect: procedure.output(dialectSchema),
  setDialect: procedure.input(dialectSchema).output(dialectSchema),
  resetDialect: procedure.output(dialectSchema),
  about: procedure.output(aboutSchema),
}
