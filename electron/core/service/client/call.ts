import { isPhraseKey, type Phrase, type PhraseKey, type Said } from '../../../contract/phrases.ts'
import * as z from 'zod'
import { type Acted, AppError, isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Random } from '../../../lib/random.ts'
import { untilAborted } from '../../../lib/until-aborted.ts'
import type { Authorization, CredentialSource } from '../credentials/credentials.ts'
import { type Ending, type Outgoing, totalTimeoutMs } from './exchange.ts'
import { badAnswer, type CallName, type Failure, outcomeUnknown, rateLimited } from './http-errors.ts'
import type { RateBudget, RateBudgetSnapshot } from '../rate-limit/rate-budget.ts'
import type { Lane } from '../rate-limit/rate-window.ts'
import { judge, maxTries, type RetryPolicy } from './retry.ts'

/** Lane of a call in the rate limit, and the caller's signal. */
export interface CallOptions {
  lane: Lane
  signal?: AbortSignal
  /** Most tries; the call's usual number by default. */
  tries?: number
  /** Fails with RATE_LIMITED instead of waiting for the end of a pause or of a used-up window: a person waits for a sign-in. */
  isImpatient?: boolean
  /** Called before each request may leave, for state that must survive a crash. An error ends the call. */
  onSend?: () => void
  /** Called after `onSend` when the service certainly acted on no request of this call. Another try may follow. */
  onNotDone?: () => void
}

/** One endpoint call of the spec. */
export interface CallSpec<T> {
  method: 'GET' | 'POST' | 'DELETE'
  /** Path of the spec, e.g. `/campaigns/{id}`: the call's name in errors and logs. */
  path: string
  id?: string
  query?: Record<string, string | number | undefined>
  body?: unknown
  retryPolicy: RetryPolicy
  answer: z.ZodType<T>
  /** False when the status alone is the answer. Default true. */
  needsBody?: boolean
  /** Value of a repeated DELETE that finds nothing left. */
  ifMissing?: T
  /** Bearer token instead of the connection's credential; null for none. */
  bearer?: string | null
  tries?: number
  /** Ahead of its lane's queue. */
  ahead?: boolean
}

/** A read that needs a credential and no permission in particular. */
const otherCall: CallSpec<unknown> = {
  method: 'GET',
  path: '/dashboard',
  retryPolicy: 'repeatable',
  answer: z.unknown(),
}

/** Most 429 responses per call. Each waits until the reset. */
const maxLimited = 5

/** Most replays after a 401. More than one only when waits outlast the tokens. */
const maxReplays = 3

interface Refused {
  failure: Failure
  authorization: Authorization
}

type Try<T> = { value: T } | Refused | { aborted: unknown; acted: Acted }

/** The one way every endpoint is called: credential, rate limit, deadlines, retry rules, checks. */
export function createCall(options: {
  baseUrl: string
  host: string
  clock: Clock
  random: Random
  log: Log
  credentials: CredentialSource
  budget: RateBudget
  exchange: (outgoing: Outgoing, signal?: AbortSignal) => Promise<Ending>
}): <T>(spec: CallSpec<T>, callOptions: CallOptions) => Promise<T> {
  const { clock, random, log, credentials, budget, exchange } = options

  /** The request of one try, without credentials. */
  function requestOf(spec: CallSpec<unknown>): Omit<Outgoing, 'secrets'> {
    return {
      name: { host: options.host, call: `${spec.method} ${spec.path}` },
      method: spec.method,
      url: options.baseUrl + pathOf(spec) + queryOf(spec.query),
      // Required on every request (spec, general rule 2).
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'User-Agent': 'Switchboard',
      },
      ...(spec.body === undefined ? {} : { body: JSON.stringify(spec.body) }),
      needsBody: spec.needsBody ?? true,
    }
  }

  async function authorize(spec: CallSpec<unknown>, signal: AbortSignal | undefined): Promise<Authorization> {
    const authorization =
      spec.bearer === undefined
        ? await untilAborted(credentials.authorize().catch(asOfSession), signal)
        : {
            headers: spec.bearer === null ? {} : { Authorization: `Bearer ${spec.bearer}` },
            issue: 0,
            tokenAgeMs: 0,
          }
    if (!canBeSent(authorization.headers)) {
      const key = credentials.kind === 'api-key' ? 'input.keyCharacter' : 'input.signInCharacter'
      throw new AppError('INVALID_INPUT', { detail: { key } }, { scope: 'session' })
    }
    return authorization
  }

  async function tryOnce<T>(
    spec: CallSpec<T>,
    request: Omit<Outgoing, 'secrets'>,
    { lane, signal, onSend }: CallOptions,
    ahead: boolean,
  ): Promise<Try<T>> {
    // Before the wait, so an ended session costs no request; and after it, because the wait may be long.
    await authorize(spec, signal)
    const permit = await budget.acquire(lane, { signal, ahead })
    const authorization = await authorize(spec, signal).catch((error: unknown) => {
      permit.unused()
      throw error
    })
    try {
      onSend?.()
    } catch (error) {
      permit.unused()
      throw error
    }
    const startedAtMs = clock.monotonic()
    const ending = await exchange(
      {
        ...request,
        headers: { ...request.headers, ...authorization.headers },
        secrets: secretsOf(authorization, spec.body),
      },
      signal,
    )
    if (ending.kind === 'aborted') {
      if (ending.acted === 'no') permit.unused()
      else permit.answered(nothingRead, false)
      return { aborted: ending.reason, acted: ending.acted }
    }
    const status = ending.kind === 'ok' ? ending.status : ending.failure.status
    if (ending.kind === 'failed' && status === null && ending.failure.error.acted === 'no') permit.unused()
    else {
      const reading = ending.reading ?? nothingRead
      // A 401 belongs to no tenant: its counts may be those of the address, with the requests of others.
      const isOfTenant = status !== 401
      permit.answered(isOfTenant ? reading : { ...reading, remaining: null, resetAtMs: null }, status === 429)
    }
    log.debug(request.name.call, { lane, status, tookMs: Math.round(clock.monotonic() - startedAtMs) })

    if (ending.kind === 'failed') return { failure: ending.failure, authorization }
    if (spec.bearer === undefined) credentials.accepted(authorization)
    const checked = check(spec, request.name, ending)
    return 'value' in checked ? checked : { failure: checked, authorization }
  }

  /** Whether the service takes a refused credential elsewhere, so that only this call is not allowed. */
  async function isAccepted(
    { path }: CallSpec<unknown>,
    { isPage }: Failure,
    { signal }: CallOptions,
  ): Promise<boolean> {
    if (isPage || path === otherCall.path || credentials.state().status === 'expired') return false
    const request = requestOf(otherCall)
    const result = await tryOnce(otherCall, request, { lane: 'operator', ...(signal && { signal }) }, true)
    return 'value' in result
  }

  /** Resolves when a replay after a 401 makes sense. `replays`: how many there were. */
  async function renew(
    spec: CallSpec<unknown>,
    callOptions: CallOptions,
    { failure, authorization }: Refused,
    replays: number,
  ): Promise<void> {
    const { error } = failure
    // Each token was too old when it was sent; the session continues.
    if (replays === maxReplays) throw new AppError('SERVICE_REJECTED', error.data, { scope: 'network' })
    const isLast = replays > 0 || credentials.kind === 'api-key'
    if (isLast && (await isAccepted(spec, failure, callOptions))) throw new AppError('FORBIDDEN', error.data)
    const refusal = { authorization, error, isReplay: replays > 0 }
    await untilAborted(credentials.refused(refusal).catch(asOfSession), callOptions.signal)
  }

  async function callTracked<T>(
    spec: CallSpec<T>,
    callOptions: CallOptions,
    outcome: ReturnType<typeof createOutcome>,
  ): Promise<T> {
    const request = requestOf(spec)
    const { name } = request
    const { signal, isImpatient = false } = callOptions
    const fullForMs = isImpatient ? untilRoomMs(budget.snapshot()) : 0
    if (fullForMs > 0) throw rateLimited(name, fullForMs, {})
    let tries = 0
    let limited = 0
    let replays = 0
    let waitedMs = 0

    for (;;) {
      const startedAtMs = clock.monotonic()
      const acted = outcome.acted()
      const result = await tryOnce(
        spec,
        request,
        { ...callOptions, onSend: outcome.sends },
        spec.ahead ?? replays > 0,
      )
      if ('value' in result) return result.value
      if ('aborted' in result) {
        outcome.ended(result.acted)
        // The service may have acted, so a call that must not repeat ends as unconfirmed.
        if (result.acted === 'maybe' && spec.retryPolicy === 'once')
          throw outcomeUnknown(name, cancelled(name))
        throw result.aborted
      }
      const { failure } = result
      outcome.ended(failure.error.acted)

      if (failure.status === 401 && spec.bearer === undefined) {
        await renew(spec, callOptions, result, replays)
        replays++
        continue
      }
      if (failure.status === 429) {
        if (isImpatient || ++limited > maxLimited)
          throw rateLimited(name, budget.pausedForMs(), failure.error.data)
        continue
      }
      tries++
      waitedMs += Math.min(clock.monotonic() - startedAtMs, totalTimeoutMs)
      const verdict = judge(
        failure,
        {
          retryPolicy: spec.retryPolicy,
          tries,
          maxTries: callOptions.tries ?? spec.tries ?? maxTries,
          elapsedMs: waitedMs,
          acted,
        },
        random,
      )
      if (verdict.kind === 'done' && spec.ifMissing !== undefined) return spec.ifMissing
      if (verdict.kind === 'unknown') throw outcomeUnknown(name, failure.error)
      if (verdict.kind !== 'again') throw failure.error
      const delayMs = Math.round(verdict.delayMs)
      log.info('Retrying', { call: name.call, code: failure.error.code, tries, delayMs })
      await clock.sleep(delayMs, signal)
      waitedMs += delayMs
    }
  }

  return async (spec, callOptions) => {
    const outcome = createOutcome(callOptions)
    try {
      return await callTracked(spec, callOptions, outcome)
    } catch (error) {
      // An earlier try may have been carried out, however the last one ended.
      throw isAppError(error) && outcome.acted() !== 'no' ? error.as({ acted: outcome.acted() }) : error
    }
  }
}

/** How long requests wait for the rate limit. In a sliding window, room comes back at once. */
function untilRoomMs({ pausedForMs, remaining, resetInMs, windowKind }: RateBudgetSnapshot): number {
  return pausedForMs || (remaining < 1 && windowKind !== 'sliding' ? resetInMs : 0)
}

/** Whether the requests of one call were acted on, and whether its caller still has a note of them. */
function createOutcome({ onSend, onNotDone }: CallOptions) {
  let acted: Acted = 'no'
  let isNoted = false
  return {
    acted: (): Acted => acted,
    sends(): void {
      onSend?.()
      isNoted = true
    },
    ended(now: Acted): void {
      if (now !== 'no') acted = now
      if (acted !== 'no' || !isNoted) return
      isNoted = false
      onNotDone?.()
    },
  }
}

/** The sign-in failed, not this request: nothing of it was sent, and others would fail as well. */
function asOfSession(error: unknown): never {
  if (!isAppError(error)) throw error
  throw error.as({ acted: 'no', ...(error.scope === 'item' ? { scope: 'network' } : {}) })
}

const nothingRead = { limitPerMinute: null, remaining: null, resetAtMs: null, retryAfterMs: null }

/** The domain value, or why the response is unusable. */
function check<T>(
  spec: CallSpec<T>,
  name: CallName,
  ending: { status: number; value: unknown },
): Failure | { value: T } {
  const parsed = spec.answer.safeParse(ending.value)
  if (parsed.success) return { value: parsed.data }
  return badAnswer(name, ending.status, faultOf(parsed.error.issues[0], ending.value))
}

const kinds: Partial<Record<string, PhraseKey>> = {
  object: 'kind.object',
  record: 'kind.object',
  array: 'kind.list',
  string: 'kind.text',
  number: 'kind.number',
  int: 'kind.integer',
  boolean: 'kind.boolean',
}

function kindOf(value: unknown): Phrase {
  if (value === null) return { key: 'kind.nothing' }
  return { key: kinds[Array.isArray(value) ? 'array' : typeof value] ?? 'kind.other' }
}

/** The fault of a response. Our schemas name it; Zod's own messages are replaced. */
function faultOf(issue: z.core.$ZodIssue | undefined, answer: unknown): Phrase {
  const path = issue?.path.map(String) ?? []
  const where: Said = path.length > 0 ? path.join('.') : { key: 'kind.body' }
  if (!issue || !issue.message.startsWith('Invalid'))
    return { key: issue && isPhraseKey(issue.message) ? issue.message : 'fault.invalid', where }
  const found = issue.path.reduce<unknown>(
    (value, key) => (Object(value) as Record<PropertyKey, unknown>)[key],
    answer,
  )
  if (found === undefined) return { key: 'fault.missing', where }
  const expected = issue.code === 'invalid_type' ? kinds[issue.expected] : undefined
  return expected === undefined
    ? { key: 'fault.isKind', where, found: kindOf(found) }
    : { key: 'fault.otherKind', where, found: kindOf(found), expected: { key: expected } }
}

/** Checked first, because the error of `fetch` quotes the value. */
function canBeSent(headers: Record<string, string>): boolean {
  return Object.values(headers).every((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim()))
}

const cancelled = (name: CallName) =>
  new AppError('SERVICE_TIMEOUT', { ...name, detail: { key: 'network.cancelled' } })

/** Rejects ids that a URL would resolve away: they would reach another endpoint. */
function pathOf({ path, id }: { path: string; id?: string }): string {
  if (id === undefined) return path
  if (id === '' || id === '.' || id === '..')
    throw new AppError('INVALID_INPUT', { detail: { key: 'input.id' } })
  return path.replace('{id}', () => encodeURIComponent(id.toWellFormed()))
}

function queryOf(query: Record<string, string | number | undefined> = {}): string {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) parameters.set(key, String(value))
  return parameters.size === 0 ? '' : `?${parameters}`
}

/** Values that must not be quoted: the credential, and passwords or secrets in the body. */
function secretsOf(authorization: Authorization, body: unknown): string[] {
  const inBody =
    typeof body === 'object' && body !== null
      ? ['password', 'secret'].map((key) => (body as Record<string, unknown>)[key])
      : []
  return [
    ...Object.values(authorization.headers).map((value) => value.replace(/^Bearer /, '')),
    ...inBody,
  ].filter((value): value is string => typeof value === 'string')
}
