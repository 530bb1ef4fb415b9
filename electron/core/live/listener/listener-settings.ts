import * as z from 'zod'
import { type ListenerConfig, listenerConfigSchema } from '../../../contract/live/listener.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'

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

/** The first time a connection's listener could not start. Until its first span, the journal cannot record this. */
const failureSchema = z.object({ atMs: z.number(), reason: z.string() })

/** Default port of the first listener: above 1023 and free of well-known services. */
const firstPort = 8787

/** A port no other connection uses. With a shared port, one connection would receive another's deliveries. */
function unusedPort(repository: SettingsRepository): number {
  const used = usedPorts(repository)
  let port = firstPort
  while (used.has(port)) port++
  return port
}

function usedPorts(repository: SettingsRepository): Set<number> {
  const keys = repository.keys().filter((key) => key.endsWith('/listener'))
  return new Set(keys.flatMap((key) => repository.get(key, storedSchema)?.config.port ?? []))
}

/**
 * A connection's listener settings: its address and the names of its secrets, never their values. `startPort`
 * overrides the port for this run, until the listener is moved by hand.
 */
export function createListenerSettings(
  repository: SettingsRepository,
  connectionId: string,
  startPort: number | undefined,
) {
  let forcedPort = startPort
  const key = `connection/${connectionId}/listener`
  const failureKey = `connection/${connectionId}/listener-first-failure`
  /** Settings of a new connection, stored at once to reserve the port. */
  function begin(): StoredListener {
    const config: ListenerConfig = {
      port: unusedPort(repository),
      address: '127.0.0.1',
      path: '/webhooks',
      allowUnsigned: false,
    }
    repository.put(key, { config, secrets: [] })
    return { config, secrets: [] }
  }
  return {
    read(): StoredListener {
      const stored = repository.get(key, storedSchema) ?? begin()
      return forcedPort === undefined ? stored : { ...stored, config: { ...stored.config, port: forcedPort } }
    },
    /** Ports of all connections, open or not. */
    usedPorts: () => usedPorts(repository),
    firstFailure: () => repository.get(failureKey, failureSchema) ?? null,
    /** Stores the first failure; later ones are ignored. */
    noteFailure(failure: z.infer<typeof failureSchema>): void {
      if (!repository.get(failureKey, failureSchema)) repository.put(failureKey, failure)
    },
    write(value: StoredListener): void {
      const { config, secrets } = value
      if (config.port === forcedPort) {
        // The overridden port applies to this run only.
        const { port } = (repository.get(key, storedSchema) ?? begin()).config
        repository.put(key, { config: { ...config, port }, secrets })
        return
      }
      forcedPort = undefined
      repository.put(key, value)
    },
  }
}

/** Last part of the settings key. */
export const listenerSettingName = 'listener'

/**
 * Adapts the listener of a restored connection to this computer: no secrets, reachable only locally, and another
 * port if its port is taken by a connection.
 */
export function restoredListener(repository: SettingsRepository, connectionId: string): void {
  const key = `connection/${connectionId}/${listenerSettingName}`
  const stored = repository.get(key, storedSchema)
  repository.remove(key)
  if (!stored) return
  const port = usedPorts(repository).has(stored.config.port) ? unusedPort(repository) : stored.config.port
  repository.put(key, { config: { ...stored.config, address: '127.0.0.1', port }, secrets: [] })
}

/** Keychain account of a signing secret. */
export const secretAccount = (connectionId: string, secretId: string) =>
  `connection/${connectionId}/webhook-secret/${secretId}`

/** Keychain accounts of all signing secrets of a connection, open or not. */
export function listenerSecretAccounts(repository: SettingsRepository, connectionId: string): string[] {
  const { secrets } = createListenerSettings(repository, connectionId, undefined).read()
  return secrets.map(({ id }) => secretAccount(connectionId, id))
}
