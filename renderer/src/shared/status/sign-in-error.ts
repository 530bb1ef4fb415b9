import type { Status } from '#contract/connection/status.ts'
import type { ErrorView } from '#contract/define.ts'
import { errorView } from '../../rpc/error-view.ts'

/**
 * Why a connection must sign in again; null if it needn’t. A computer without a keychain loses each sign-in when Switchboard quits: the keychain’s error would
 * not say that you are signed out.
 */
export function signInError({ state, problem }: Status['session']): ErrorView | null {
  if (!['expired', 'signed-out', 'none'].includes(state)) return null
  if (problem && !problem.code.startsWith('KEYCHAIN_NO_')) return problem
  return errorView(state === 'expired' ? 'SESSION_EXPIRED' : 'SIGNED_OUT')
}
