import { implement } from '@orpc/server'
import type { Connection } from '../../../contract/connection/connections.ts'
import { detectableNameSchema } from '../../../contract/field-names.ts'
import { settingsContract } from '../../../contract/platform/settings.ts'
import { createFieldNameDetection, type FieldNameDetection } from './field-name-detection.ts'
import type { FieldNameStore } from './field-name-store.ts'

const os = implement(settingsContract).$context<{
  fieldNameStore: FieldNameStore
  detection: FieldNameDetection
  connection: Connection
}>()

export const fieldNamesHandlers = {
  getFieldNames: os.getFieldNames.handler(({ context }) => context.fieldNameStore.of(context.connection.id)),
  setFieldNames: os.setFieldNames.handler(({ context, input }) =>
    context.fieldNameStore.set(context.connection.id, input),
  ),
  resetFieldNames: os.resetFieldNames.handler(({ context }) =>
    context.fieldNameStore.reset(context.connection.id),
  ),
  detectFieldNames: os.detectFieldNames.handler(({ context, input }) =>
    context.detection.start(input.names ?? detectableNameSchema.options),
  ),
  detections: os.detections.handler(({ context }) => ({ findings: context.detection.findings() })),
}

export function createFieldNamesFeature(
  parts: Omit<Parameters<typeof createFieldNameDetection>[0], 'connectionId'> & {
    connection: () => Connection
  },
) {
  return { service: createFieldNameDetection({ ...parts, connectionId: parts.connection().id }) }
}
