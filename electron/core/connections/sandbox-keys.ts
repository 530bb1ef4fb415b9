import * as z from 'zod'
import type { SandboxUser } from '../../contract/connections.ts'
import { AppError } from '../../contract/errors.ts'
import type { SandboxAccess } from '../ports.ts'

const tenantsAnswer = z.array(
  z.object({ name: z.string(), users: z.array(z.object({ username: z.string(), role: z.string() })) }),
)
const keyAnswer = z.object({ key: z.string() })
/** It runs on this computer and keeps everything in memory. */
const timeoutMs = 5_000

/** API keys of the built-in sandbox, made as its dashboard would: by the calls that only it has. */
export function createSandboxKeys(openSandbox: () => Promise<SandboxAccess>) {
  async function ask<T>(path: string, answer: z.ZodType<T>, body?: object): Promise<T> {
    const { baseUrl, adminToken } = await openSandbox()
    try {
      const response = await fetch(new URL(`/sandbox${path}`, baseUrl), {
        method: body ? 'POST' : 'GET',
        headers: { 'X-Sandbox-Admin': adminToken, ...(body ? { 'Content-Type': 'application/json' } : {}) },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      return answer.parse(await response.json())
    } catch (error) {
      throw new AppError('SANDBOX_FAILED', {
        detail: error instanceof Error ? error.message : 'no reason given',
      })
    }
  }

  return {
    async users(): Promise<SandboxUser[]> {
      const tenants = await ask('/tenants', tenantsAnswer)
      return tenants.flatMap(({ name, users }) => users.map((user) => ({ ...user, tenant: name })))
    },
    /** The key, which is shown this once and kept nowhere here. */
    create: async (username: string): Promise<string> =>
      (await ask('/api-keys', keyAnswer, { username })).key,
  }
}
