import type { Connection } from '../../contract/connection/connections.ts'
import type { FieldNames } from '../../contract/field-names.ts'
import { AppError, isKeychainError } from '../../contract/errors.ts'
import { isoTime } from '../../lib/iso-time.ts'
import type { Random } from '../../lib/random.ts'
import { createApiKey, type CredentialSource } from '../service/credentials/credentials.ts'
import { createServiceClient } from '../service/client/create-service-client.ts'
import { createPasswordSession, type SavedSession } from '../service/credentials/password-session.ts'
import { createNetworkWatch } from '../service/client/network-watch.ts'
import { windowMs } from '../service/rate-limit/rate-window.ts'
import type { ServiceFetch } from '../service/client/service-fetch.ts'
import type { SavedSecrets } from './saved-secrets.ts'
import type { ServiceParts } from '../service/parts.ts'

/** A client with its credential. */
export interface SignIn extends Pick<ServiceParts, 'client' | 'credentials' | 'network'> {
  /** Why the sign-in can't be read: the keychain's error, or SIGN_IN_LOST where no keychain kept it. */
  problem: AppError | null
  /** Saves the current refresh token in the keychain, and each new one from now on. */
  keepSaved(): Promise<void>
}

type Address = Pick<Connection, 'id' | 'baseUrl' | 'allowPlainHttp'>

/** Makes clients for connections, from a new or a saved credential. */
export function createSignIns(
  parts: Pick<ServiceParts, 'clock' | 'log'> & {
    savedSecrets: SavedSecrets
    fieldNames: (connectionId: string) => FieldNames
    random: Random
    /** `fetch` through the host's proxies. */
    fetch: ServiceFetch['fetch']
    onChange: () => void
  },
) {
  const { savedSecrets, clock, random, log } = parts
  const startedAt = { time: isoTime(clock.now()) }
  /** The last sign-in that wasn't kept. The service counts its requests, too. */
  let discarded: { baseUrl: string; requests: number; atMs: number } | null = null

  /** Stores one sign-in's refresh token; before `keep` only if `isOpen`. */
  function createPlace(connectionId: string, isOpen: boolean) {
    let latest: SavedSession | null = null
    return {
      async save(session: SavedSession | null): Promise<void> {
        latest = session
        if (isOpen) await savedSecrets.saveSession(connectionId, session)
      },
      async keep(): Promise<void> {
        isOpen = true
        await savedSecrets.saveSession(connectionId, latest)
      },
    }
  }

  function build(
    address: Address,
    credentials: CredentialSource,
    rest: Partial<Pick<SignIn, 'problem' | 'keepSaved'>> = {},
  ): SignIn {
    const network = createNetworkWatch(clock, parts.onChange)
    const isRecent = discarded?.baseUrl === address.baseUrl && clock.monotonic() - discarded.atMs < windowMs
    const client = createServiceClient({
      baseUrl: address.baseUrl,
      allowPlainHttpHosts: address.allowPlainHttp ? [new URL(address.baseUrl).hostname] : [],
      credentials,
      fieldNames: () => parts.fieldNames(address.id),
      clock,
      random,
      log,
      fetch: parts.fetch,
      observe: network,
      earlierRequests: isRecent ? discarded!.requests : 0,
    })
    credentials.onChange(parts.onChange)
    client.budget.onChange(parts.onChange)
    return {
      client,
      credentials,
      network,
      problem: null,
      keepSaved: () => Promise.resolve(),
      ...rest,
    }
  }

  return {
    /** Ends a sign-in that isn't kept, such as a failed one. */
    discard({ baseUrl }: Address, { client }: SignIn): void {
      discarded = { baseUrl, requests: client.budget.snapshot().usedByUs, atMs: clock.monotonic() }
      client.close()
    },

    /** Not signed in yet. Saves nothing before `keepSaved`. */
    forPassword(address: Address): SignIn {
      const { save, keep } = createPlace(address.id, false)
      return build(address, createPasswordSession({ clock, log, save }), { keepSaved: keep })
    },

    forApiKey(address: Address, apiKey: string, save: boolean): SignIn {
      const keepSaved = () => (save ? savedSecrets.saveApiKey(address.id, apiKey) : Promise.resolve())
      return build(address, createApiKey({ apiKey }), { keepSaved })
    },

    /** The saved credential. Without one the session is signed out; `problem` says why it can't be read. */
    async fromSaved(connection: Connection): Promise<SignIn> {
      const { save, keep } = createPlace(connection.id, true)
      try {
        if (connection.credentialKind === 'api-key')
          return build(connection, createApiKey({ apiKey: await savedSecrets.apiKey(connection.id) }))
        const saved = await savedSecrets.session(connection.id)
        return build(connection, createPasswordSession({ clock, log, save, saved }), { keepSaved: keep })
      } catch (error) {
        if (!isKeychainError(error)) throw error
        const isLost = error.code.startsWith('KEYCHAIN_NO_')
        const problem = isLost ? new AppError('SIGN_IN_LOST', { at: startedAt }) : error
        return build(connection, createPasswordSession({ clock, log, save }), { problem })
      }
    },
  }
}
