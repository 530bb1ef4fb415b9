import { AppError, isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import {
  type Authorization,
  createStateCell,
  type CredentialSource,
  type CredentialState,
  isPageError,
  type RefreshCall,
} from './credentials.ts'
import { createWakingClock } from '../rate-limit/waking-clock.ts'
import type { SessionTokens } from '../wire/session.ts'

/** The part that outlives the process; only in the keychain. */
export interface SavedSession {
  refreshToken: string
  /** ISO 8601: seven days after issue. */
  refreshTokenEndsAt: string
}

/** Sign-in with user name and password: access token in memory, refresh token stored by the owner. */
interface PasswordSession extends CredentialSource {
  readonly kind: 'password'
  /** How to refresh, from the client that it signs in. Given once. */
  refreshBy(call: RefreshCall): void
  /** Takes a login's tokens. */
  accept(tokens: SessionTokens): Promise<void>
}

export const isPasswordSession = (source: CredentialSource): source is PasswordSession =>
  source.kind === 'password'

/** Spec, Limits: 15 minutes, when the response doesn't say. */
const defaultLifetimeMs = 900_000
/** Spec, Limits: 7 days; no response contains it. */
const refreshTokenLifetimeMs = 7 * 24 * 3_600_000
/** How early a token is renewed; a fifth of its life if that is shorter. */
const refreshAheadMs = 60_000
/** Delay after a transient refresh error, doubled up to the maximum. */
const cooldownMs = 1_000
const maxCooldownMs = 30_000

/** A refused replay with a token this fresh ends the session. An older token waited too long for the rate limit. */
const freshTokenMs = 5_000

interface AccessToken {
  value: string
  issue: number
  issuedAtMs: number
  lifetimeMs: number
  /** Refused; don't send it again. */
  isStale: boolean
}

/**
 * A password session. `saved` resumes one: its first call refreshes. `save` gets each new refresh token, and null at
 * the end; if it rejects, the session continues in memory.
 */
export function createPasswordSession(options: {
  clock: Clock
  log: Log
  save: (session: SavedSession | null) => Promise<void>
  saved?: SavedSession | null
}): PasswordSession {
  const { log, save } = options
  const clock = createWakingClock(options.clock)
  let refreshToken = options.saved?.refreshToken ?? null
  let endsAt = options.saved?.refreshTokenEndsAt ?? null
  let access: AccessToken | null = null
  let refresh: RefreshCall = () => Promise.reject(notSignedIn())
  let issues = 0
  /** Changes with each login and sign-out, so a refresh started before can't restore the old session. */
  let epoch = 0
  let running: Promise<void> | null = null
  let failed: { error: unknown; untilMs: number; times: number } | null = null

  const cell = createStateCell({
    status: refreshToken === null ? 'signed-out' : 'signed-in',
    problem: refreshToken === null ? 'SIGNED_OUT' : null,
    refreshTokenEndsAt: endsAt,
  })
  const show = (status: CredentialState['status'], problem: CredentialState['problem'] = null) =>
    cell.set({ status, problem, refreshTokenEndsAt: endsAt })

  // Saves run in order: a slow keychain must not overwrite a newer token.
  let saving: Promise<void> = Promise.resolve()
  function saveInTurn(session: SavedSession | null): Promise<void> {
    const turn = saving.then(() => save(session))
    saving = turn.catch(() => {})
    return turn
  }
  const saveIfPossible = (session: SavedSession | null) =>
    saveInTurn(session).catch((error: unknown) =>
      log.warn(`Could not ${session ? 'save the sign-in' : 'remove the saved sign-in'}`, { error }),
    )

  function take(tokens: SessionTokens, startedAtMs: number): Promise<void> {
    access = {
      value: tokens.accessToken,
      issue: ++issues,
      issuedAtMs: startedAtMs,
      lifetimeMs: tokens.expiresInMs ?? access?.lifetimeMs ?? defaultLifetimeMs,
      isStale: false,
    }
    failed = null
    const isNew = tokens.refreshToken !== null && tokens.refreshToken !== refreshToken
    if (isNew) {
      refreshToken = tokens.refreshToken
      endsAt = isoTime(clock.now() + refreshTokenLifetimeMs)
    }
    show('signed-in')
    return isNew ? saveIfPossible({ refreshToken: refreshToken!, refreshTokenEndsAt: endsAt! }) : saving
  }

  function expire(problem: 'SESSION_EXPIRED' | 'REQUESTS_REFUSED'): void {
    epoch++
    access = null
    refreshToken = null
    endsAt = null
    show('expired', problem)
    void saveIfPossible(null)
  }

  /** The service itself refused the refresh token. */
  const isRefusal = (error: unknown) =>
    isAppError(error) && [400, 401, 403, 422].includes(Number(error.data['status'])) && !isPageError(error)

  async function refreshOnce(): Promise<void> {
    const mine = epoch
    const startedAtMs = clock.monotonic()
    show('refreshing')
    try {
      const tokens = await refresh(refreshToken!)
      if (mine === epoch) void take(tokens, startedAtMs)
    } catch (error) {
      if (mine !== epoch) return
      if (isRefusal(error)) {
        expire('SESSION_EXPIRED')
        throw new AppError('SESSION_EXPIRED', isAppError(error) ? error.data : {}, { cause: error })
      }
      const times = (failed?.times ?? 0) + 1
      const waitMs = Math.min(maxCooldownMs, cooldownMs * 2 ** (times - 1))
      failed = { error, times, untilMs: clock.monotonic() + waitMs }
      show('signed-in')
      throw error
    }
  }

  /** All callers share one refresh. */
  function shareRefresh(): Promise<void> {
    if (refreshToken === null) return Promise.reject(notSignedIn())
    if (!running && failed && clock.monotonic() < failed.untilMs) return Promise.reject(failed.error as Error)
    if (!running) {
      const started = refreshOnce().finally(() => {
        if (running === started) running = null
      })
      running = started
    }
    return running
  }

  /** For all calls that would: one tries, and says why it failed. */
  function renewEarly(): void {
    if (refreshToken === null || running || (failed && clock.monotonic() < failed.untilMs)) return
    shareRefresh().catch((error: unknown) => {
      const isOfNetwork = isAppError(error) && error.scope === 'network'
      log.warn('Could not renew the access token early', { error: isOfNetwork ? error.message : error })
    })
  }

  const notSignedIn = () => new AppError(cell.get().problem ?? 'SIGNED_OUT')

  const ageMs = (token: AccessToken) => clock.monotonic() - token.issuedAtMs

  const authorizationOf = (token: AccessToken): Authorization => ({
    headers: { Authorization: `Bearer ${token.value}` },
    issue: token.issue,
    tokenAgeMs: ageMs(token),
  })

  return {
    kind: 'password',
    state: cell.get,
    identity: () => '',
    onChange: cell.onChange,

    async authorize() {
      const token = access
      if (token) {
        const leftMs = token.isStale ? 0 : token.lifetimeMs - ageMs(token)
        if (leftMs > 0) {
          if (leftMs <= Math.min(refreshAheadMs, token.lifetimeMs / 5)) renewEarly()
          return authorizationOf(token)
        }
      }
      await shareRefresh()
      if (!access) throw notSignedIn()
      return authorizationOf(access)
    },

    async refused({ authorization, error, isReplay }) {
      if (isReplay && isPageError(error)) throw error
      // Another call refreshed already; the current token may work.
      if (access && access.issue !== authorization.issue) return
      if (isReplay && access && authorization.tokenAgeMs < freshTokenMs) expire('REQUESTS_REFUSED')
      if (access) access.isStale = true
      if (refreshToken === null) throw new AppError(notSignedIn().code, error.data)
      await shareRefresh()
    },

    accepted: () => {},
    refreshBy: (call) => void (refresh = call),

    async accept(tokens) {
      epoch++
      running = null
      refreshToken = null
      await take(tokens, clock.monotonic())
    },

    async clear() {
      epoch++
      running = null
      access = null
      refreshToken = null
      endsAt = null
      failed = null
      show('signed-out', 'SIGNED_OUT')
      await saveInTurn(null)
    },
  }
}
