import { AppError } from '../../../contract/errors.ts'
import { digestOf } from '../../../lib/digest.ts'
import type { SessionTokens } from '../wire/session.ts'

/** `expired`: refused for good, so the user must sign in again. */
type CredentialStatus = 'signed-in' | 'refreshing' | 'expired' | 'signed-out'

export interface CredentialState {
  status: CredentialStatus
  /** Why every request fails until someone signs in; null while none does for that. */
  problem: 'SIGNED_OUT' | 'SESSION_EXPIRED' | 'REQUESTS_REFUSED' | 'API_KEY_REFUSED' | null
  /** End of the refresh token (seven days), ISO 8601. Null for an API key. */
  refreshTokenEndsAt: string | null
}

/** Headers that authorise one request. */
export interface Authorization {
  headers: Record<string, string>
  /** Rises with each token: tells responses to old and current tokens apart. */
  issue: number
  /** Time since its token was requested, milliseconds. 0 for an API key. */
  tokenAgeMs: number
}

/** A 401 response. */
export interface Refusal {
  authorization: Authorization
  error: AppError
  /** A request with an earlier token was refused, too. */
  isReplay: boolean
}

export type RefreshCall = (refreshToken: string) => Promise<SessionTokens>

/** A credential: authorises every request. */
export interface CredentialSource {
  readonly kind: 'password' | 'api-key'
  state(): CredentialState
  /** Differs for another API key, which may be another tenant's, and doesn't tell it. Null without one. A password's user stays the same. */
  identity(): string | null
  /** Calls `listener` after each change. Returns its stop. */
  onChange(listener: (state: CredentialState) => void): () => void
  /**
   * Headers for the next request. Waits for a refresh only when the token has expired. SIGNED_OUT, SESSION_EXPIRED, REQUESTS_REFUSED,
   * or the refresh's network error.
   */
  authorize(): Promise<Authorization>
  /**
   * Resolves when a replay makes sense. API_KEY_REFUSED, SESSION_EXPIRED, REQUESTS_REFUSED; a page's error after two pages, or a
   * transient refresh error, both without ending the session.
   */
  refused(refusal: Refusal): Promise<void>
  /** Forgets the credential: later calls are SIGNED_OUT. Rejects when the stored one couldn't be removed. */
  clear(): Promise<void>
  /** The service accepted this request. */
  accepted(authorization: Authorization): void
}

/** True for a page: something in between answered, so it says nothing about the credential. */
export const isPageError = (error: AppError) => error.data['isPage'] === true

export function createStateCell(first: CredentialState) {
  const listeners = new Set<(state: CredentialState) => void>()
  let state = first
  return {
    get: () => state,
    set(next: CredentialState) {
      const { status, problem, refreshTokenEndsAt } = state
      if (
        next.status === status &&
        next.problem === problem &&
        next.refreshTokenEndsAt === refreshTokenEndsAt
      )
        return
      state = next
      for (const listener of [...listeners]) listener(state)
    },
    onChange(listener: (state: CredentialState) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

interface ApiKey extends CredentialSource {
  readonly kind: 'api-key'
  /** Uses another key from now on, also for a request that the service refused with the earlier one. */
  replace(apiKey: string): void
}

export const isApiKey = (source: CredentialSource): source is ApiKey => source.kind === 'api-key'

/**
 * An API key (spec, Authentication: `X-API-Key`); null until `replace`. A 401 is API_KEY_REFUSED and shows as `expired`;
 * later calls are still sent, in case the key works again.
 */
export function createApiKey(options: { apiKey: string | null }): ApiKey {
  let issues = 0
  const authorizationOf = (apiKey: string): Authorization => ({
    headers: { 'X-API-Key': apiKey },
    issue: ++issues,
    tokenAgeMs: 0,
  })
  let authorization = options.apiKey === null ? null : authorizationOf(options.apiKey)
  const stateOf = (problem: CredentialState['problem']): CredentialState => ({
    status: problem === null ? 'signed-in' : problem === 'SIGNED_OUT' ? 'signed-out' : 'expired',
    problem,
    refreshTokenEndsAt: null,
  })
  const cell = createStateCell(stateOf(authorization ? null : 'SIGNED_OUT'))
  const isCurrent = ({ issue }: Authorization) => issue === authorization?.issue
  const show = (problem: CredentialState['problem']) => cell.set(stateOf(problem))
  return {
    kind: 'api-key',
    state: cell.get,
    identity: () => authorization && digestOf(authorization.headers['X-API-Key']!).slice(0, 8),
    onChange: cell.onChange,
    authorize: () =>
      authorization ? Promise.resolve(authorization) : Promise.reject(new AppError('SIGNED_OUT')),
    refused(refusal) {
      const { error } = refusal
      if (isPageError(error)) return Promise.reject(error)
      // A late response must not undo a sign-out, or blame the next key.
      if (isCurrent(refusal.authorization)) show('API_KEY_REFUSED')
      else if (authorization) return Promise.resolve()
      return Promise.reject(new AppError('API_KEY_REFUSED', error.data))
    },
    accepted(accepted) {
      if (isCurrent(accepted)) show(null)
    },
    replace(apiKey) {
      authorization = authorizationOf(apiKey)
      show(null)
    },
    clear() {
      show('SIGNED_OUT')
      authorization = null
      return Promise.resolve()
    },
  }
}
