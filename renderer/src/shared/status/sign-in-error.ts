import type { Status } from '#contract/connection/status.ts'
import type { ErrorView } from '#contract/define.ts'
import { errorView } from '../../rpc/error-view.ts'

/** Why a connection must sign in again; null if it needn’t. */
export function signInError({ state, problem }: Status['session']): ErrorView | null {
  if (!['expired', 'signed-out', 'none'].includes(state)) return null
  return problem ?? errorView(state === 'expired' ? 'SESSION_EXPIRED' : 'SIGNED_OUT')
}
