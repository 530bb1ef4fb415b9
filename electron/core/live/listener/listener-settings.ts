import * as z from 'zod'
import type { Connection } from '../../../contract/connection/connections.ts'
import {
  type ListenerConfig,
  listenerConfigSchema,
  receiveModeSchema,
} from '../../../contract/live/listener.ts'
import { settingKey } from '../../platform/settings/connection-settings.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import { fold } from '../../../lib/fold.ts'

/** The address and port that all connections share. */
const placeSchema = listenerConfigSchema.pick({ port: true, address: true })
type Place = z.infer<typeof placeSchema>

const relaySchema = z.object({
  mode: receiveModeSchema,
  url: z.string().nullable(),
  inbox: z.string().nullable(),
  /** Where the service delivers, as the relay said. */
  webhookUrl: z.string().nullable(),
})
/** The relay a connection reads, without its token. */
type StoredRelay = z.infer<typeof relaySchema>
const noRelay: StoredRelay = { mode: 'local', url: null, inbox: null, webhookUrl: null }

const storedSchema = z.object({
  config: listenerConfigSchema.pick({ path: true, allowUnsigned: true }),
  secrets: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      addedAtMs: z.number(),
      retiresAtMs: z.number().nullable(),
    }),
  ),
  relay: relaySchema.optional(),
})
type Stored = z.infer<typeof storedSchema>
/** A connection's listener settings with the shared address and port. */
export type StoredListener = Pick<Stored, 'secrets'> & { config: ListenerConfig }

/** The first time a connection's listener could not start. Until its first span, the journal cannot record this. */
const failureSchema = z.object({ atMs: z.number(), reason: z.string() })

/** Default port: above 1023 and free of well-known services. */
const defaultPlace: Place = { port: 8787, address: '127.0.0.1' }

const placeKey = 'listener'
const publicBaseKey = 'listener-public-base'
const keyOf = (connectionId: string) => settingKey(connectionId, 'listener')

type Named = Pick<Connection, 'id' | 'name'>
const firstPath = '/webhooks'

function usedPaths(repository: SettingsRepository, exceptId: string): Set<string> {
  const keys = repository.keys().filter((key) => key.endsWith('/listener') && key !== keyOf(exceptId))
  return new Set(keys.flatMap((key) => repository.get(key, storedSchema)?.config.path ?? []))
}

/** `/webhooks` for the first connection, then `/webhooks/<name>`. With a shared path, deliveries would mix. */
function freePath(repository: SettingsRepository, { id, name }: Named): string {
  const used = usedPaths(repository, id)
  if (!used.has(firstPath)) return firstPath
  const slug = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  const path = `${firstPath}/${slug || 'connection'}`
  for (let n = 1; ; n++) {
    const wanted = n === 1 ? path : `${path}-${n}`
    if (!used.has(wanted)) return wanted
  }
}

export type ListenerPlace = ReturnType<typeof createListenerPlace>

/** The address and port that all connections share. `startPort` overrides the port for this run, until an operator changes it. */
export function createListenerPlace(repository: SettingsRepository, startPort: number | undefined) {
  let forcedPort = startPort
  const stored = () => repository.get(placeKey, placeSchema) ?? defaultPlace

  return {
    /** Address of the tunnel or proxy in front of the port. */
    publicBase: () => repository.get(publicBaseKey, z.string()) ?? null,
    setPublicBase(base: string | null): void {
      if (base === null) repository.remove(publicBaseKey)
      else repository.put(publicBaseKey, base.replace(/\/+$/, ''))
    },
    read: (): Place => (forcedPort === undefined ? stored() : { ...stored(), port: forcedPort }),
    write({ port, address }: Place): void {
      // The overridden port applies to this run only.
      if (port === forcedPort) return repository.put(placeKey, { port: stored().port, address })
      forcedPort = undefined
      repository.put(placeKey, { port, address })
    },
  }
}

export type ListenerSettings = ReturnType<typeof createListenerSettings>

/** A connection's listener settings: its path and the names of its secrets, never their values. */
export function createListenerSettings(
  repository: SettingsRepository,
  connection: Named,
  place: ListenerPlace,
) {
  const { id } = connection
  const key = keyOf(id)
  const failureKey = settingKey(id, 'listener-first-failure')
  /** Settings of a new connection, stored at once to reserve the path. */
  function begin(): Stored {
    const config = { path: freePath(repository, connection), allowUnsigned: false }
    repository.put(key, { config, secrets: [] })
    return { config, secrets: [] }
  }
  const stored = () => repository.get(key, storedSchema) ?? begin()
  return {
    read(): StoredListener {
      const { config, secrets } = stored()
      return { config: { ...place.read(), ...config }, secrets }
    },
    /** This connection's URL at the tunnel or proxy; null without one. */
    publicUrl(): string | null {
      const base = place.publicBase()
      return base === null ? null : `${base}${stored().config.path}`
    },
    /** Paths of the other connections. */
    otherPaths: () => [...usedPaths(repository, id)],
    firstFailure: () => repository.get(failureKey, failureSchema) ?? null,
    /** Stores the first failure; later ones are ignored. */
    noteFailure(failure: z.infer<typeof failureSchema>): void {
      if (!repository.get(failureKey, failureSchema)) repository.put(failureKey, failure)
    },
    write({ config: { path, allowUnsigned, ...rest }, secrets }: StoredListener): void {
      place.write(rest)
      repository.put(key, { ...stored(), config: { path, allowUnsigned }, secrets })
    },
    relay: (): StoredRelay => stored().relay ?? noRelay,
    writeRelay: (relay: StoredRelay): void => repository.put(key, { ...stored(), relay }),
  }
}

/** The path of a connection's listener; null before it was opened once. */
export const listenerPath = (repository: SettingsRepository, connectionId: string): string | null =>
  repository.get(keyOf(connectionId), storedSchema)?.config.path ?? null

/**
 * Adapts the listener of a restored connection to this computer: no secrets, no relay token, no unsigned deliveries, and a path of its
 * own.
 */
export function restoredListener(repository: SettingsRepository, connection: Named): void {
  const key = keyOf(connection.id)
  const stored = repository.get(key, storedSchema)
  repository.remove(key)
  if (!stored) return
  const { path } = stored.config
  const isUsed = usedPaths(repository, connection.id).has(path)
  const own = isUsed ? freePath(repository, connection) : path
  const { relay } = stored
  repository.put(key, {
    config: { path: own, allowUnsigned: false },
    secrets: [],
    ...(relay ? { relay } : {}),
  })
}

/** The URL that the service delivers to. */
export function urlOf(place: { address: string; port: number; path: string }): string {
  const host = place.address.includes(':') ? `[${place.address}]` : place.address
  return `http://${host}:${place.port}${place.path}`
}

/** Keychain account of a signing secret. */
export const secretAccount = (connectionId: string, secretId: string) =>
  `connection/${connectionId}/webhook-secret/${secretId}`

/** Keychain account of the token of a connection's relay. */
export const relayTokenAccount = (connectionId: string) => `connection/${connectionId}/relay-token`

/** Keychain accounts of the signing secrets and the relay token of a connection, open or not. */
export function listenerSecretAccounts(repository: SettingsRepository, connectionId: string): string[] {
  const stored = repository.get(keyOf(connectionId), storedSchema)
  return [
    ...(stored?.secrets ?? []).map(({ id }) => secretAccount(connectionId, id)),
    // Also without a relay: a crash may have left a token whose settings were not stored.
    relayTokenAccount(connectionId),
  ]
}
