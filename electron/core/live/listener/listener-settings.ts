import * as z from 'zod'
import { type ListenerConfig, listenerConfigSchema } from '../../../contract/listener.ts'
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

/** When a connection's listener could not come up for the first time: before its first span the journal has no line to say so. */
const failureSchema = z.object({ atMs: z.number(), reason: z.string() })

/** First port for a listener that nobody moved: free of well-known services, above 1023. */
const firstPort = 8787

/**
 * A port that no other connection's listener has. With one port for all, the service of a connection that is not open would
 * deliver to the listener of the one that is.
 */
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
  const failureKey = `connection/${connectionId}/listener-first-failure`
  /** What a new connection begins with, kept at once so that its port stays its own. */
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
    /** The ports of all connections, open or not. */
    usedPorts: () => usedPorts(repository),
    firstFailure: () => repository.get(failureKey, failureSchema) ?? null,
    /** Notes a failure; only the first one is kept. */
    noteFailure(failure: z.infer<typeof failureSchema>): void {
      if (!repository.get(failureKey, failureSchema)) repository.put(failureKey, failure)
    },
    write(value: StoredListener): void {
      const { config, secrets } = value
      if (config.port === forcedPort) {
        // The port of this run alone does not become the one of the next.
        const { port } = (repository.get(key, storedSchema) ?? begin()).config
        repository.put(key, { config: { ...config, port }, secrets })
        return
      }
      forcedPort = undefined
      repository.put(key, value)
    },
  }
}

/** Last part of the settings key of a connection's listener. */
export const listenerSettingName = 'listener'

/**
 * Adapts the listener of a restored connection to this computer: no secrets, reachable only from this computer, and another port
 * if a connection already uses this one.
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
