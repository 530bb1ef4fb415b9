import { text } from 'node:stream/consumers'
import * as z from 'zod'
import type { SandboxUser } from '../../../contract/connection/connections.ts'
import { AppError } from '../../../contract/errors.ts'
import type { SandboxAccess } from '../../ports.ts'
import { createDirectFetch } from './direct-fetch.ts'

const tenantsAnswer = z.array(
  z.object({ name: z.string(), users: z.array(z.object({ username: z.string(), role: z.string() })) }),
)
const keyAnswer = z.object({ key: z.string() })
/** Short, because the sandbox runs on this computer. */
const timeoutMs = 5_000

/** Calls that only the built-in sandbox has: API keys and removing subscriptions. A real service has a dashboard for these. */
export function createSandboxAdmin(openSandbox: () => Promise<SandboxAccess>) {
  const direct = createDirectFetch()

  async function ask<T>(
    path: string,
    answer: z.ZodType<T>,
    { method = 'GET', body }: { method?: 'GET' | 'POST' | 'DELETE'; body?: object } = {},
  ): Promise<T> {
    const { baseUrl, adminToken } = await openSandbox()
    try {
      const { status, body: answered } = await direct.fetch(new URL(`/sandbox${path}`, baseUrl), {
        method,
        headers: { 'X-Sandbox-Admin': adminToken, ...(body ? { 'Content-Type': 'application/json' } : {}) },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const said = await text(answered)
      if (status >= 300) throw new Error(`it answered ${status}`)
      return answer.parse(JSON.parse(said))
    } catch (error) {
      throw new AppError('SANDBOX_FAILED', {
        detail: error instanceof Error ? error.message : { key: 'network.noReason' },
      })
    }
  }

  return {
    async users(): Promise<SandboxUser[]> {
      const tenants = await ask('/tenants', tenantsAnswer)
      return tenants.flatMap(({ name, users }) => users.map((user) => ({ ...user, tenant: name })))
    },
    /** The new key. It is not stored, so this is the only time it is available. */
    create: async (username: string): Promise<string> =>
      (await ask('/api-keys', keyAnswer, { method: 'POST', body: { username } })).key,
    async removeSubscription(id: string): Promise<void> {
      await ask(`/subscriptions/${encodeURIComponent(id)}`, z.unknown(), { method: 'DELETE' })
    },
  }
}
