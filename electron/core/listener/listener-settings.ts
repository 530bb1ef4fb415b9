import * as z from 'zod'
import { type ListenerConfig, listenerConfigSchema } from '../../contract/listener.ts'
import type { SettingsRepository } from '../settings/settings.repository.ts'

const storedSchema = z.object({
  config: listenerConfigSchema,
  secrets: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      addedAtMs: z.number(),
      retiresAtMs: z.number().nullable(),
    }),
  ),
})
export type StoredListener = z.infer<typeof storedSchema>

/** Port of a listener that nobody moved: free of well-known services, above 1023. */
export const defaultListenerPort = 8787

/**
 * Where a connection's listener is kept in the settings: its place and its secrets' names, never their values.
 * `startPort` is the port the console was started with; it holds until the listener is moved by hand.
 */
export function createListenerSettings(
  repository: SettingsRepository,
  connectionId: string,
  startPort: number | undefined,
) {
  let forcedPort = startPort
  const key = `connection/${connectionId}/listener`
  const initial: ListenerConfig = {
    port: defaultListenerPort,
    address: '127.0.0.1',
    path: '/webhooks',
    allowUnsigned: false,
  }
  return {
    read(): StoredListener {
      const stored = repository.get(key, storedSchema) ?? { config: initial, secrets: [] }
      return forcedPort === undefined ? stored : { ...stored, config: { ...stored.config, port: forcedPort } }
    },
    write(value: StoredListener): void {
      if (value.config.port !== forcedPort) forcedPort = undefined
      repository.put(key, value)
    },
  }
}

/** Keychain account of a signing secret. */
export const secretAccount = (connectionId: string, secretId: string) =>
  `connection/${connectionId}/webhook-secret/${secretId}`

/** Keychain accounts of all signing secrets of a connection, open or not. */
export function listenerSecretAccounts(repository: SettingsRepository, connectionId: string): string[] {
  const { secrets } = createListenerSettings(repository, connectionId, undefined).read()
  return secrets.map(({ id }) => secretAccount(connectionId, id))
}
