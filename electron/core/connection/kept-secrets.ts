import * as z from 'zod'
import type { SecretsView } from '../../contract/connections.ts'
import { AppError } from '../../contract/errors.ts'
import type { Log } from '../../lib/log.ts'
import type { SecretsState, SecretStore } from '../ports.ts'
import { viewOf } from '../platform/rpc/errors.ts'
import type { SavedSession } from '../service/credentials/password-session.ts'
import type { ConnectionsRepository } from './connections.repository.ts'

const savedSessionSchema = z.object({ refreshToken: z.string(), refreshTokenEndsAt: z.string() })

/** What a connection keeps in the keychain, by account name, and the promise to remove what could not be removed yet. */
export interface KeptSecrets {
  saveSession(connectionId: string, session: SavedSession | null): Promise<void>
  session(connectionId: string): Promise<SavedSession | null>
  saveApiKey(connectionId: string, apiKey: string): Promise<void>
  apiKey(connectionId: string): Promise<string | null>
  /** Forgets the sign-in of a connection. The error tells what could not be removed; a tombstone then waits for the keychain. */
  forgetSignIn(connectionId: string): Promise<AppError | null>
  /** Forgets one account, with a tombstone when that could not be confirmed. */
  forget(account: string): Promise<AppError | null>
  /** Tries the tombstones again. */
  sweep(): Promise<void>
  view(): Promise<SecretsView>
  /** Asks the keychain again, then sweeps. */
  retry(): Promise<SecretsView>
}

export function createKeptSecrets(
  secrets: SecretStore,
  repository: ConnectionsRepository,
  log: Log,
): KeptSecrets {
  const sessionAccount = (connectionId: string) => `connection/${connectionId}/refresh-token`
  const apiKeyAccount = (connectionId: string) => `connection/${connectionId}/api-key`

  async function keep(account: string, value: string): Promise<void> {
    await secrets.set(account, value)
    repository.removeTombstone(account)
  }

  async function read(account: string): Promise<string | null> {
    // A value that was to be removed is never used again, even where the keychain still holds it.
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
      if (problem) return log.info('a saved secret still waits for its removal', { account })
    }
  }

  return {
    saveSession: async (connectionId, session) => {
      if (session) return keep(sessionAccount(connectionId), JSON.stringify(session))
      const problem = await forget(sessionAccount(connectionId))
      if (problem) throw problem
    },
    async session(connectionId) {
      const value = await read(sessionAccount(connectionId))
      if (value === null) return null
      const parsed = savedSessionSchema.safeParse(parseJson(value))
      return parsed.success ? parsed.data : null
    },
    saveApiKey: (connectionId, apiKey) => keep(apiKeyAccount(connectionId), apiKey),
    apiKey: (connectionId) => read(apiKeyAccount(connectionId)),
    async forgetSignIn(connectionId) {
      const problems = [await forget(sessionAccount(connectionId)), await forget(apiKeyAccount(connectionId))]
      return problems.find((problem) => problem !== null) ?? null
    },
    forget,
    sweep,
    view: async () => secretsViewOf(await secrets.state()),
    async retry() {
      const state = await secrets.probe()
      if (state.kind === 'keychain') await sweep()
      return secretsViewOf(state)
    },
  }
}

/** A state of the keychain as the renderer shows it. */
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

/** The short reason of a state in which the keychain cannot be used. */
function reasonOf(state: SecretsState): string {
  return state.kind === 'keychain' ? 'it did not confirm the removal' : state.detail
}
