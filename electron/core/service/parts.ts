import type { FieldNames } from '../../contract/field-names.ts'
import type { PlatformParts } from '../platform/parts.ts'
import type { ServiceClient } from './client/create-service-client.ts'
import type { NetworkWatch } from './client/network-watch.ts'
import type { CredentialSource } from './credentials/credentials.ts'

export interface ServiceParts extends PlatformParts {
  client: ServiceClient
  credentials: CredentialSource
  network: NetworkWatch
  fieldNames: () => FieldNames
}
