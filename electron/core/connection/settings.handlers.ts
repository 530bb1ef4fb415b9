import type * as z from 'zod'
import type { Connection } from '../../contract/connection/connections.ts'
import { detectableNameSchema } from '../../contract/field-names.ts'
import { type aboutSchema, type DiagnosticFact, settingsContract } from '../../contract/platform/settings.ts'
import { handlersOf } from '../platform/rpc/handlers.ts'
import type { SettingsService } from '../platform/settings/settings.service.ts'
import type { FieldNameDetection } from '../service/field-names/field-name-detection.ts'
import type { FieldNameStore } from '../service/field-names/field-name-store.ts'

interface Slice {
  settings: SettingsService
  fieldNameStore: FieldNameStore
  detection: FieldNameDetection
  about(): z.infer<typeof aboutSchema>
  diagnostics(connectionId?: string): Promise<DiagnosticFact[]>
  connection: Connection
  connectionId?: string
}

// Some need no open connection, so each reads only what it needs.
export const settingsHandlers = handlersOf(settingsContract, (context: Slice) => ({
  getAppearance: () => context.settings.appearance(),
  setAppearance: (appearance) => context.settings.setAppearance(appearance),
  getPlace: () => ({ path: context.settings.place(context.connection.id) }),
  setPlace: ({ path }) => context.settings.setPlace(context.connection.id, path),
  getFieldNames: () => context.fieldNameStore.of(context.connection.id),
  setFieldNames: (names) => context.fieldNameStore.set(context.connection.id, names),
  resetFieldNames: () => context.fieldNameStore.reset(context.connection.id),
  detectFieldNames: ({ names }) => context.detection.start(names ?? detectableNameSchema.options),
  detections: () => ({ findings: context.detection.findings() }),
  about: () => context.about(),
  diagnostics: async () => ({ facts: await context.diagnostics(context.connectionId) }),
}))
