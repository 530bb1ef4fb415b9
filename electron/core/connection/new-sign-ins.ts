import { randomUUID } from 'node:crypto'
import type { ConnectInput, Connection } from '../../contract/connection/connections.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import type { SandboxAccess } from '../ports.ts'
import { parseBaseUrl } from '../service/client/base-url.ts'
import { loginTries } from '../service/client/create-service-client.ts'
import type { ConnectionsRepository } from './connections.repository.ts'
import type { createSignIns, SignIn } from './sign-in.ts'

export const sandboxId = 'sandbox'

export type NewSignIns = ReturnType<typeof createNewSignIns>

/** Turns what the operator enters into a connection to save and its client. */
export function createNewSignIns(
  repository: ConnectionsRepository,
  signIns: ReturnType<typeof createSignIns>,
) {
  return {
    /** The new or changed connection. An existing one keeps its data only for the same user of the same service. */
    draft(input: ConnectInput): Omit<Connection, 'lastUsedAt'> {
      const { credential } = input
      const existing = input.id === undefined ? undefined : repository.get(input.id)
      const { url } = parseBaseUrl(input.baseUrl, input.allowPlainHttp ? [hostnameOf(input.baseUrl)] : [])
      const username = credential.kind === 'password' ? credential.username : null
      if (
        existing &&
        (existing.kind === 'sandbox' || existing.baseUrl !== url || existing.username !== username)
      ) {
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.otherSignIn', name: existing.name } })
      }
      const taken = repository.findByName(input.name)
      if (taken && taken.id !== existing?.id) throw new AppError('NAME_TAKEN', { name: input.name })
      return {
        id: existing?.id ?? randomUUID(),
        name: input.name,
        baseUrl: url,
        kind: existing?.kind ?? ('service' as const),
        colour: input.colour,
        production: input.production,
        credentialKind: credential.kind,
        username,
        allowPlainHttp: input.allowPlainHttp,
        country: existing?.country ?? null,
        dashboardUrl: existing?.dashboardUrl ?? null,
      }
    },
    /** A client with the credential that was entered. */
    begin: (draft: Omit<Connection, 'lastUsedAt'>, { credential }: ConnectInput): SignIn =>
      credential.kind === 'password'
        ? signIns.forPassword(draft)
        : signIns.forApiKey(draft, credential.apiKey, true),
    /** The sandbox with a new sign-in: its sessions end with it. */
    async toSandbox(access: SandboxAccess): Promise<{ connection: Connection; signIn: SignIn }> {
      const saved = repository.find(sandboxId)
      const draft = {
        id: sandboxId,
        name: saved?.name ?? repository.freeName('Sandbox'),
        baseUrl: access.baseUrl,
        kind: 'sandbox' as const,
        colour: saved?.colour ?? ('teal' as const),
        production: saved?.production ?? false,
        credentialKind: 'password' as const,
        username: access.username,
        allowPlainHttp: false,
        country: saved?.country ?? null,
        dashboardUrl: saved?.dashboardUrl ?? null,
      }
      const signIn = signIns.forPassword(draft)
      try {
        const { username, password } = access
        await signIn.client.auth.login({ username, password }, { lane: 'operator' })
      } catch (error) {
        signIn.client.close()
        throw error
      }
      const connection = repository.save(draft)
      await signIn.keepSaved()
      return { connection, signIn }
    },
  }
}

/** Tries a new credential: a login, or for an API key the cheapest call that needs one. */
export async function proveSignIn(
  { client }: SignIn,
  { credential }: ConnectInput,
  signal: AbortSignal,
): Promise<void> {
  if (credential.kind === 'password') {
    const { username, password } = credential
    await client.auth.login({ username, password }, { lane: 'operator', signal })
    return
  }
  try {
    await client.dashboard.get({ lane: 'operator', signal, isImpatient: true, tries: loginTries })
  } catch (error) {
    // The service knows the key; it only lacks this permission.
    if (!isAppError(error, 'FORBIDDEN')) throw error
  }
}

const hostnameOf = (baseUrl: string) => URL.parse(baseUrl.trim())?.hostname ?? ''
