import { buffer } from 'node:stream/consumers'
import { AppError } from '../../../contract/errors.ts'
import type { SandboxAccess } from '../../ports.ts'
import { createDirectFetch } from './direct-fetch.ts'

/** Short, because the sandbox runs on this computer. */
const timeoutMs = 5_000

/** Removes a subscription of the built-in sandbox, which the API can't. A real service has a dashboard for it. */
export async function removeSandboxSubscription({ baseUrl, adminToken }: SandboxAccess, id: string) {
  const direct = createDirectFetch()
  try {
    const { status, body } = await direct.fetch(
      new URL(`/sandbox/subscriptions/${encodeURIComponent(id)}`, baseUrl),
      {
        method: 'DELETE',
        headers: { 'X-Sandbox-Admin': adminToken },
        signal: AbortSignal.timeout(timeoutMs),
      },
    )
    await buffer(body)
    if (status >= 300) throw new Error(`it answered ${status}`)
  } catch (error) {
    throw new AppError('SANDBOX_FAILED', {
      detail: error instanceof Error ? error.message : { key: 'network.noReason' },
    })
  } finally {
    direct.close()
  }
}
