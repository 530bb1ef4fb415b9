import type { Connection } from '../../contract/connections.ts'
import type { Dialect } from '../../contract/dialect.ts'
import { type AppError, isKeychainError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import { createApiKey, type CredentialSource } from '../service/credentials/credentials.ts'
import { createServiceClient, type ServiceClient } from '../service/client/create-service-client.ts'
import { createPasswordSession, type SavedSession } from '../service/credentials/password-session.ts'
import { createNetworkWatch, type NetworkWatch } from '../service/client/network-watch.ts'
import type { KeptSecrets } from './kept-secrets.ts'

/** A client with its credential, before or after it became the active connection's. */
export interface SignIn {
  client: ServiceClient
  credentials: CredentialSource
  network: NetworkWatch
  /** Why there is no usable credential, when the keychain is the reason. */
  problem: AppError | null
  /** From now on a new refresh token is saved in the keychain, and the one already had is saved first. */
  keepSaved(): Promise<void>
  /** From now on nothing is saved or forgotten any more: a newer sign-in of the same connection owns the place. */
  detach(): void
}

type Address = Pick<Connection, 'id' | 'baseUrl' | 'allowPlainHttp'>

/** Makes clients for connections: with a credential just typed, or with the one in the keychain. */
export function createSignIns(parts: {
  kept: KeptSecrets
  dialect: (connectionId: string) => Dialect
  clock: Clock
  random: Random
  log: Log
  /** `fetch` through the host's proxies. */
  fetch: typeof globalThis.fetch
  onChange: () => void
}) {
  const { kept, clock, random, log } = parts

  /** Where the refresh token of one sign-in is kept, from `keep` on and until `detach`. */
  function createPlace(connectionId: string) {
    let latest: SavedSession | null = null
    let isOpen = false
    return {
      async save(session: SavedSession | null): Promise<void> {
        latest = session
        if (isOpen) await kept.saveSession(connectionId, session)
      },
      open() {
        isOpen = true
      },
      async keep(): Promise<void> {
        isOpen = true
        await kept.saveSession(connectionId, latest)
      },
      detach() {
        isOpen = false
      },
    }
  }

  function build(
    address: Address,
    credentials: CredentialSource,
    rest: Partial<Pick<SignIn, 'problem' | 'keepSaved' | 'detach'>> = {},
  ): SignIn {
    const network = createNetworkWatch(clock, parts.onChange)
    const client = createServiceClient({
      baseUrl: address.baseUrl,
      allowPlainHttpHosts: address.allowPlainHttp ? [new URL(address.baseUrl).hostname] : [],
      credentials,
      dialect: () => parts.dialect(address.id),
      clock,
      random,
      log,
      fetch: parts.fetch,
      observe: network,
    })
    credentials.onChange(parts.onChange)
    client.budget.onChange(parts.onChange)
    return {
      client,
      credentials,
      network,
      problem: null,
      keepSaved: () => Promise.resolve(),
      detach: () => {},
      ...rest,
    }
  }

  return {
    /** A password sign-in that has not happened yet. Nothing is saved before `keepSaved`. */
    forPassword(address: Address): SignIn {
      const { save, keep, detach } = createPlace(address.id)
      return build(address, createPasswordSession({ clock, log, save }), { keepSaved: keep, detach })
    },

    forApiKey(address: Address, apiKey: string, save: boolean): SignIn {
      const keepSaved = () => (save ? kept.saveApiKey(address.id, apiKey) : Promise.resolve())
      return build(address, createApiKey({ apiKey }), { keepSaved })
    },

    /** The saved credential of a connection. Without one the session is signed out, and `problem` says if the keychain is why. */
    async fromSaved(connection: Connection): Promise<SignIn> {
      const place = createPlace(connection.id)
      place.open()
      const { save, detach } = place
      const signedOut = (problem: AppError | null) =>
        build(connection, createPasswordSession({ clock, log, save }), { problem, detach })
      try {
        if (connection.credentialKind === 'api-key') {
          const apiKey = await kept.apiKey(connection.id)
          return apiKey === null ? signedOut(null) : build(connection, createApiKey({ apiKey }))
        }
        const saved = await kept.session(connection.id)
        return build(connection, createPasswordSession({ clock, log, save, saved }), { detach })
      } catch (error) {
        if (!isKeychainError(error)) throw error
        return signedOut(error)
      }
    },
  }
}
