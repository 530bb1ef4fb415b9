import { AppError } from '../../../contract/errors.ts'
import type { SessionTokens } from '../wire/session.ts'

/** Where a sign-in stands. `expired`: the service refused it for good and a person must sign in again. */
export type CredentialStatus = 'signed-in' | 'refreshing' | 'expired' | 'signed-out'

export interface CredentialState {
  status: CredentialStatus
  /** End of the refresh token's seven days, ISO 8601, so that a warning can come before it. Null for an API key. */
  refreshTokenEndsAt: string | null
}

/** The header that authorises one request, and which issue of the credential it belongs to. */
export interface Authorization {
  headers: Record<string, string>
  /** Rises with every token issued: tells an answer to an old token from an answer to the present one. */
  issue: number
  /** How long before this its token was asked for, milliseconds. 0 for an API key. */
  tokenAgeMs: number
}

/** A request that was answered 401. */
export interface Refusal {
  authorization: Authorization
  /** The answer, as the table has it. */
  error: AppError
  /** The request was refused before, with an earlier token. */
  isReplay: boolean
}

/** Asks the service for a new access token. Given by the client, which owns the wire. */
export type RefreshCall = (refreshToken: string) => Promise<SessionTokens>

/** What the client needs of any credential. Everything it sends is authorised through this. */
export interface CredentialSource {
  readonly kind: 'password' | 'api-key'
  state(): CredentialState
  /** Calls `listener` after each change of state. Returns its stop. */
  onChange(listener: (state: CredentialState) => void): () => void
  /**
   * The authorisation for the next request. Waits for a refresh only when the present token is past its end.
   * Rejects with SIGNED_OUT, SESSION_EXPIRED, or the network's error when a needed refresh could not be made.
   */
  authorize(refresh: RefreshCall): Promise<Authorization>
  /**
   * Resolves when the refused request is worth a replay; rejects with API_KEY_REFUSED, SESSION_EXPIRED, the page's error
   * where a page said so twice, or the refresh's transient error. The last two end nothing.
   */
  refused(refusal: Refusal, refresh: RefreshCall): Promise<void>
  /** Forgets the credential, in memory at once: later calls reject with SIGNED_OUT. Rejects when what is saved could not be removed. */
  clear(): Promise<void>
  /** The service accepted `authorization`. */
  accepted(authorization: Authorization): void
}

/** True when the answer was a page: something in between spoke, so it says nothing about a credential. */
export const isPageError = (error: AppError) => error.data['isPage'] === true

/** Notifies about changes of a credential's state. */
export function createStateCell(first: CredentialState) {
  const listeners = new Set<(state: CredentialState) => void>()
  let state = first
  return {
    get: () => state,
    set(next: CredentialState) {
      if (next.status === state.status && next.refreshTokenEndsAt === state.refreshTokenEndsAt) return
      state = next
      for (const listener of [...listeners]) listener(state)
    },
    onChange(listener: (state: CredentialState) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/**
 * An API key (spec, Authentication: header `X-API-Key`). Never refreshed; a 401 is API_KEY_REFUSED and shows as `expired`,
 * yet later calls are still sent, so that a key that works again is noticed.
 */
export function createApiKey(options: { apiKey: string }): CredentialSource {
  const cell = createStateCell({ status: 'signed-in', refreshTokenEndsAt: null })
  let authorization: Authorization | null = {
    headers: { 'X-API-Key': options.apiKey },
    issue: 1,
    tokenAgeMs: 0,
  }
  /** An answer that comes after the sign-out does not undo it. */
  const show = (status: CredentialStatus) => {
    if (authorization) cell.set({ status, refreshTokenEndsAt: null })
  }
  const refuse = (error: AppError) => {
    if (isPageError(error)) return error
    show('expired')
    return new AppError('API_KEY_REFUSED', error.data)
  }
  return {
    kind: 'api-key',
    state: cell.get,
    onChange: cell.onChange,
    authorize: () =>
      authorization ? Promise.resolve(authorization) : Promise.reject(new AppError('SIGNED_OUT')),
    refused: ({ error }) => Promise.reject(refuse(error)),
    accepted: () => show('signed-in'),
    clear() {
      show('signed-out')
      authorization = null
      return Promise.resolve()
    },
  }
}
