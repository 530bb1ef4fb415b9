import type { Connection } from '../../../contract/connection/connections.ts'
import { createFieldNameDetection } from './field-name-detection.ts'

export function createFieldNamesFeature(
  parts: Omit<Parameters<typeof createFieldNameDetection>[0], 'connectionId'> & {
    connection: () => Connection
  },
) {
  return { service: createFieldNameDetection({ ...parts, connectionId: parts.connection().id }) }
}
