import type { Said } from '../../contract/phrases.ts'
import * as z from 'zod'
import type { SecretsView } from '../../contract/connection/connections.ts'
import { AppError, keychainReason } from '../../contract/errors.ts'
import type { Log } from '../../lib/log.ts'
import type { SecretsState, SecretStore } from '../ports.ts'
import { viewOf } from '../platform/rpc/errors.ts'
import type { SavedSession } from '../service/credentials/password-session.ts'
import type { ConnectionsRepository } from './connections.repository.ts'

const savedSessionSchema = z.object({ refreshToken: z.string(), refreshTokenEndsAt: z.string() })

export type SavedSecrets = ReturnType<typeof createSavedSecrets>

/** Secrets of connections in the keychain, by account name. Removals that failed leave a tombstone and are retried. */
export function createSavedSecrets(secrets: SecretStore, repository: ConnectionsRepository, log: Log) {
  const sessionAccount = (connectionId: string) => `connection/${connectionId}/refresh-token`
  const apiKeyAccount = (connectionId: string) => `connection/${connectionId}/api-key`

  async function keep(account: string, value: string): Promise<void> {
    await secrets.set(account, value)
    repository.removeTombstone(account)
  }

  async function read(account: string): Promise<string | null> {
    // Never use a value that should have been removed.
    return repository.tombstones().includes(account) ? null : secrets.get(account)
  }

  async function forget(account: string): Promise<AppError | null> {
    repository.addTombstone(account)
    const result = await secrets.delete(account)
    if (result.removed) {
      repository.removeTombstone(account)
      return null
    }
    return new AppError('SIGN_OUT_INCOMPLETE', { detail: reasonOf(result.state) })
  }

  async function sweep(): Promise<void> {
    for (const account of repository.tombstones()) {
      const problem = await forget(account)
      if (problem) return log.info('Could not remove a saved secret yet', { account })
    }
  }

  return {
    saveSession: async (connectionId: string, session: SavedSession | null): Promise<void> => {
      if (session) return keep(sessionAccount(connectionId), JSON.stringify(session))
      const problem = await forget(sessionAccount(connectionId))
      if (problem) throw problem
    },
    async session(connectionId: string): Promise<SavedSession | null> {
      const value = await read(sessionAccount(connectionId))
      if (value === null) return null
      const parsed = savedSessionSchema.safeParse(parseJson(value))
      return parsed.success ? parsed.data : null
    },
    saveApiKey: (connectionId: string, apiKey: string) => keep(apiKeyAccount(connectionId), apiKey),
    apiKey: (connectionId: string) => read(apiKeyAccount(connectionId)),
    /** Removes a connection's sign-in. Returns the error of what couldn't be removed. */
    async forgetSignIn(connectionId: string): Promise<AppError | null> {
      const problems = [await forget(sessionAccount(connectionId)), await forget(apiKeyAccount(connectionId))]
      return problems.find((problem) => problem !== null) ?? null
    },
    /** Saves one account. */
    keep,
    /** Removes one account; a tombstone remains until that is confirmed. */
    forget,
    /** Retries the tombstones. */
    sweep,
    view: async () => secretsViewOf(await secrets.state()),
    /** Retries the keychain and the tombstones. */
    async retry(): Promise<SecretsView> {
      const state = await secrets.probe()
      if (state.kind === 'keychain') await sweep()
      return secretsViewOf(state)
    },
  }
}

export const secretsViewOf = (state: SecretsState): SecretsView =>
  state.kind === 'keychain'
    ? { kind: 'keychain', problem: null }
    : { kind: 'memory', problem: viewOf(new AppError(state.code, { detail: state.detail })) }

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Why the keychain kept a value, in a few words. */
function reasonOf(state: SecretsState): Said {
  return state.kind === 'keychain'
    ? { key: 'keychain.notConfirmed' }
    : keychainReason(state.code, state.detail)
}
