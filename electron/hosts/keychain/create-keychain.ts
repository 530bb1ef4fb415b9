import { AppError } from '../../contract/errors.ts'
import type { SecretsState, SecretStore } from '../../core/ports.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { KeychainChannel } from './channel.ts'
import { type Ask, createKeychainCaller } from './keychain-caller.ts'
import { stateOf } from './keychain-errors.ts'
import { createValues, windowsLimitBytes } from './long-values.ts'

/** Deadline of every call, queue and canary included. Otherwise a stopped daemon holds a call for 50 s. */
const defaultDeadlineMs = 3_000
/** Longest value in UTF-8 bytes; tested with 1 MiB. Our secrets are far shorter. */
const valueLimitBytes = 1_048_576
/** `#` is forbidden in callers' account names, so they can't collide with this one and the numbered ones. */
const canaryAccount = '#canary'
const accountPattern = /^[^#\p{Cc}]{1,200}$/u

const usable: SecretsState = { kind: 'keychain' }

function checkAccount(account: string): void {
  if (!accountPattern.test(account)) throw new TypeError('Not an account name of the keychain')
}

function isStorable(value: string): boolean {
  return (
    value !== '' &&
    !/\p{Cc}/u.test(value) &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= valueLimitBytes
  )
}

/**
 * The secrets of one profile in the system keychain, through a separate process. Writes and deletions that
 * fail stay in memory for this run and are retried with the next successful call. Every call answers within
 * `deadlineMs` (3 s).
 * `service` names the profile and is used by one console at a time, because the canary has a fixed account.
 * `partLimitBytes` is the longest value per account (Windows: 2,560).
 */
export function createKeychain(options: {
  spawn: () => KeychainChannel
  service: string
  clock: Clock
  log: Log
  deadlineMs?: number
  partLimitBytes?: number
}): SecretStore & { stop(): Promise<void> } {
  const { log } = options
  const caller = createKeychainCaller({ deadlineMs: defaultDeadlineMs, ...options })
  const values = createValues(
    options.partLimitBytes ?? (process.platform === 'win32' ? windowsLimitBytes : undefined),
  )
  /** Writes not yet confirmed by the keychain; null means deleted. */
  const pending = new Map<string, { value: string | null }>()
  let current: SecretsState | null = null

  function setState(state: SecretsState): SecretsState {
    const before = current?.kind === 'memory' ? current.code : current?.kind
    if (state.kind === 'memory' && state.code !== before)
      log.warn('The keychain can’t be used', { code: state.code, detail: state.detail })
    if (state.kind === 'keychain' && state.kind !== before) log.info('The keychain works')
    current = state
    return state
  }

  /** Runs `work` and updates the state from its outcome. Rejects with `KEYCHAIN_*`. */
  async function use<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    let hasAnswered = false
    try {
      const result = await caller.run((ask) =>
        work(async (question) => {
          const answer = await ask(question)
          hasAnswered = true
          return answer
        }),
      )
      if (hasAnswered) setState(usable)
      return result
    } catch (error) {
      setState(stateOf(error))
      throw error
    }
  }

  const proveUsable = (ask: Ask) => ask({ op: 'probe', account: canaryAccount })

  /** A locked keyring also returns null, so a null counts only if a canary passes and it is null again. */
  async function read(ask: Ask, account: string): Promise<string | null> {
    const value = await values.get(ask, account)
    if (value !== null) return value
    await proveUsable(ask)
    return values.get(ask, account)
  }

  async function remove(ask: Ask, account: string): Promise<void> {
    const isDeleted = await values.delete(ask, account)
    await proveUsable(ask)
    if (!isDeleted || (await values.get(ask, account)) !== null)
      throw new AppError('KEYCHAIN_FAILED', { detail: { key: 'keychain.stillHolds' } })
  }

  /** Applies the latest write for `account`, which may be newer than the caller's. */
  async function flush(ask: Ask, account: string): Promise<void> {
    const entry = pending.get(account)
    if (!entry) return
    if (entry.value === null) await remove(ask, account)
    else await values.set(ask, account, entry.value)
    if (pending.get(account) === entry) pending.delete(account)
  }

  /** A refused value doesn't block the others; any other failure ends the round. */
  async function flushAll(ask: Ask): Promise<void> {
    let refusal: unknown
    for (const account of [...pending.keys()]) {
      try {
        await flush(ask, account)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'KEYCHAIN_FAILED') throw error
        refusal ??= error
      }
    }
    if (refusal !== undefined) throw refusal
  }

  /** After a success, retries the rest. Failures show in the state. */
  function flushRestLater(): void {
    if (pending.size > 0) use(flushAll).catch(() => {})
  }

  async function probe(): Promise<SecretsState> {
    try {
      await use(async (ask) => {
        await proveUsable(ask)
        await flushAll(ask)
      })
      return usable
    } catch (error) {
      return stateOf(error)
    }
  }

  /** Remembers the write, then tries to apply it. */
  async function queueWrite(account: string, value: string | null): Promise<SecretsState> {
    pending.set(account, { value })
    try {
      await use((ask) => flush(ask, account))
    } catch (error) {
      return stateOf(error)
    }
    flushRestLater()
    return usable
  }

  return {
    probe,
    state: async () => current ?? (await probe()),
    async get(account) {
      checkAccount(account)
      const entry = pending.get(account)
      if (entry) return entry.value
      const value = await use((ask) => read(ask, account))
      flushRestLater()
      return value
    },
    async set(account, value) {
      checkAccount(account)
      if (!isStorable(value)) throw new AppError('SECRET_INVALID')
      return queueWrite(account, value)
    },
    async delete(account) {
      checkAccount(account)
      const state = await queueWrite(account, null)
      return state.kind === 'keychain' ? { removed: true } : { removed: false, state }
    },
    unsaved: async () => [...pending].flatMap(([account, { value }]) => (value === null ? [] : [account])),
    async stop() {
      await caller.stop()
      pending.clear()
    },
  }
}
