import type { Phrase } from '../../../contract/phrases.ts'
import * as z from 'zod'
import type { FieldNames } from '../../../contract/field-names.ts'
import type { DncCheck } from '../../../contract/domain.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Random } from '../../../lib/random.ts'
import { parseBaseUrl } from './base-url.ts'
import { type CallOptions, type CallSpec, createCall } from './call.ts'
import { type CredentialSource, isPageError } from '../credentials/credentials.ts'
import { createExchange, type ServiceObserver } from './exchange.ts'
import type { ServiceFetch } from './service-fetch.ts'
import { isPasswordSession } from '../credentials/password-session.ts'
import { createRateBudget, type RateBudgetView } from '../rate-limit/rate-budget.ts'
import { createRateHeaderReader } from '../rate-limit/rate-headers.ts'
import { createWakingClock } from '../rate-limit/waking-clock.ts'
import {
  analyticsOverviewWire,
  billingSummaryWire,
  campaignWire,
  contactWire,
  dashboardWire,
  errorCodeWire,
  messageWire,
  ottMessageWire,
  scheduledMessageWire,
  templateWire,
} from '../wire/records.ts'
import { dncCheckWire, listedDncEntryWire } from '../wire/dnc.ts'
import { messageTextWire } from '../wire/message-text.ts'
import { listOf, pageOf, perPageMax } from '../wire/page.ts'
import { loginWire, refreshWire } from '../wire/session.ts'
import { createdWebhookWire, webhookWire, webhookTestWire } from '../wire/webhook.ts'

export type ServiceClient = ReturnType<typeof createServiceClient>

/** A page: `page` from 1 (default 1), `perPage` 1 to 100 (default 20). Spec, Endpoints. */
interface PageInput {
  page?: number
  perPage?: number
}

/** First and last day, `YYYY-MM-DD`, UTC. The spec doesn't say whether the last day is included. */
interface SpanInput {
  startDate: string
  endDate: string
}

/** Tries of a login: a person is waiting. */
export const loginTries = 2
const logoutPath = '/auth/logout'
/** Longest logout, with its refresh. A person is waiting, and is signed out locally in any case. */
const logoutTimeoutMs = 15_000
/** Tries of a refresh: every call waits for it, and the next call tries again. */
const refreshTries = 3

/**
 * Every endpoint of the spec, for one connection with its credential and rate limit. `fieldNames` is read on each call, so
 * changed settings apply at once. BASE_URL_INVALID, BASE_URL_NOT_HTTPS.
 *
 * Errors of every call: SIGNED_OUT, SESSION_EXPIRED, REQUESTS_REFUSED, API_KEY_REFUSED; FORBIDDEN, SERVICE_REJECTED, SERVICE_NOT_FOUND,
 * RATE_LIMITED, SERVICE_FAILED (the service's text in `data.serviceText`); SERVICE_UNREACHABLE, SERVICE_TIMEOUT,
 * SERVICE_TLS, SERVICE_REDIRECTED, PROXY_*; NOT_THE_SERVICE, BAD_ANSWER, ANSWER_TOO_LARGE; INVALID_INPUT; or the
 * signal's reason. A POST other than sign-in rejects with OUTCOME_UNKNOWN when it may have been done; with any other
 * code it was not.
 */
export function createServiceClient(options: {
  baseUrl: string
  credentials: CredentialSource
  clock: Clock
  random: Random
  fieldNames: () => FieldNames
  log: Log
  fetch: ServiceFetch['fetch']
  allowPlainHttpHosts?: readonly string[]
  observe?: ServiceObserver
  /** Our own requests just before. */
  earlierRequests?: number
}) {
  const { credentials, random, fieldNames, log } = options
  const clock = createWakingClock(options.clock)
  const { url: baseUrl, host } = parseBaseUrl(options.baseUrl, options.allowPlainHttpHosts)
  const budget = createRateBudget({ clock, random, earlier: options.earlierRequests ?? 0 })
  const underWay = new Set<AbortController>()
  let closedBy: AppError | null = null
  const exchange = createExchange({
    clock,
    fetch: options.fetch,
    readRate: createRateHeaderReader(),
    ...(options.observe ? { observe: options.observe } : {}),
  })

  const callService = createCall({ baseUrl, host, clock, random, log, credentials, budget, exchange })
  if (isPasswordSession(credentials))
    credentials.refreshBy((refreshToken) =>
      call(
        {
          method: 'POST',
          path: '/auth/refresh',
          retryPolicy: 'repeatable',
          bearer: refreshToken,
          answer: refreshWire,
          tries: refreshTries,
          ahead: true,
        },
        { lane: 'operator' },
      ),
    )
  /**
   * Ends with its caller's signal or the client. A controller per call: abort listeners on a shared signal get slow.
   */
  async function call<T>(spec: CallSpec<T>, { signal, ...rest }: CallOptions): Promise<T> {
    if (closedBy) throw closedBy
    const controller = new AbortController()
    underWay.add(controller)
    try {
      const both = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal
      return await callService(spec, { ...rest, signal: both })
    } finally {
      underWay.delete(controller)
    }
  }

  /** Checks the spec's bounds without a request. */
  function listPage<T>(
    path: string,
    input: PageInput,
    item: z.ZodType<T>,
    callOptions: CallOptions,
    query: Record<string, string | undefined> = {},
  ) {
    const { page = 1, perPage = 20 } = input
    if (!Number.isInteger(page) || page < 1) return refuse({ key: 'input.page', page: String(page) })
    if (!Number.isInteger(perPage) || perPage < 1 || perPage > perPageMax)
      return refuse({ key: 'input.pageSize', size: String(perPage) })
    return call(
      {
        method: 'GET',
        path,
        query: { page, per_page: perPage, ...query },
        retryPolicy: 'safe',
        answer: pageOf(item, { page, perPage }),
      },
      callOptions,
    )
  }

  const get = <T>(
    path: string,
    rest: Pick<CallSpec<T>, 'answer' | 'id' | 'query'>,
    callOptions: CallOptions,
  ) => call<T>({ method: 'GET', path, retryPolicy: 'safe', ...rest }, callOptions)

  const post = <T>(
    path: string,
    rest: Pick<CallSpec<T>, 'answer' | 'id' | 'body' | 'needsBody'>,
    callOptions: CallOptions,
  ) => call<T>({ method: 'POST', path, retryPolicy: 'once', ...rest }, callOptions)

  const remove = (path: string, id: string, callOptions: CallOptions) =>
    call(
      {
        method: 'DELETE',
        path,
        id,
        retryPolicy: 'idempotent',
        answer: messageTextWire,
        needsBody: false,
        ifMissing: { message: null },
      },
      callOptions,
    )

  const spanQuery = async ({ startDate, endDate }: SpanInput) => {
    for (const day of [startDate, endDate])
      if (!z.iso.date().safeParse(day).success) return refuse({ key: 'input.date', day: day.slice(0, 40) })
    if (startDate > endDate) return refuse({ key: 'input.periodReversed' })
    const { startParameter, endParameter, format } = fieldNames().analyticsDates.value
    const isTimed = format === 'date-time'
    return {
      [startParameter]: isTimed ? `${startDate}T00:00:00Z` : startDate,
      [endParameter]: isTimed ? `${endDate}T23:59:59Z` : endDate,
    }
  }

  /** Ends the session at the service, refreshing if needed. False when it may continue there. */
  async function endSession({ lane, signal }: CallOptions): Promise<boolean> {
    const deadline = new AbortController()
    const cancel = clock.after(logoutTimeoutMs, () => deadline.abort())
    try {
      await call(
        {
          method: 'POST',
          path: logoutPath,
          retryPolicy: 'repeatable',
          answer: messageTextWire,
          needsBody: false,
          tries: 1,
          ahead: true,
        },
        { lane, signal: signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal },
      )
      return true
    } catch (error) {
      // Only a refused refresh token proves it: a refused access token may just be too old.
      return isAppError(error, 'SIGNED_OUT', 'SESSION_EXPIRED') && error.data['call'] !== `POST ${logoutPath}`
    } finally {
      cancel()
    }
  }

  return {
    host,
    budget: budget as RateBudgetView,

    /** Ends all calls with SIGNED_OUT (a running POST: OUTCOME_UNKNOWN) and rejects later ones. */
    close() {
      closedBy = new AppError('SIGNED_OUT')
      for (const controller of underWay) controller.abort(closedBy)
      budget.close(closedBy)
    },

    auth: {
      /** Signs in. WRONG_PASSWORD for 401. */
      async login(
        { username, password }: { username: string; password: string },
        callOptions: CallOptions,
      ): Promise<void> {
        if (!isPasswordSession(credentials))
          throw new AppError('UNSUPPORTED', { capability: { key: 'ability.passwordSignIn' } })
        const tokens = await call(
          {
            method: 'POST',
            path: '/auth/login',
            body: { username, password },
            retryPolicy: 'repeatable',
            bearer: null,
            answer: loginWire,
            tries: loginTries,
          },
          { ...callOptions, isImpatient: true },
        ).catch((error: unknown) => {
          throw loginError(error)
        })
        await credentials.accept(tokens)
      },

      /**
       * Ends the session at the service (at most 15 s), then forgets the credential in any case. `endedAtService` is
       * false when the session may continue there. SIGN_OUT_INCOMPLETE, with `endedAtService`, when the stored
       * credential couldn't be removed.
       */
      async logout(callOptions: CallOptions): Promise<{ endedAtService: boolean }> {
        const endedAtService = !isPasswordSession(credentials) || (await endSession(callOptions))
        await credentials.clear().catch((error: unknown) => {
          const detail = isAppError(error)
            ? (error.data['detail'] ?? error.code)
            : ({ key: 'keychain.refused' } as const)
          throw new AppError('SIGN_OUT_INCOMPLETE', { detail, endedAtService }, { cause: error })
        })
        return { endedAtService }
      },
    },

    campaigns: {
      list: ({ status, ...input }: PageInput & { status?: string }, callOptions: CallOptions) =>
        listPage('/campaigns', input, campaignWire, callOptions, { status }),
      get: (id: string, callOptions: CallOptions) =>
        get('/campaigns/{id}', { id, answer: sameId(campaignWire, id) }, callOptions),
      /** The record as returned; its status may not be `paused` yet. After OUTCOME_UNKNOWN, use `get`. */
      pause: (id: string, callOptions: CallOptions) =>
        post('/campaigns/{id}/pause', { id, answer: sameId(campaignWire, id) }, callOptions),
    },

    templates: {
      create: (
        {
          name,
          body,
          variables,
        }: { name: string; body: string; variables: Record<string, 'string' | 'number'> },
        callOptions: CallOptions,
      ) => post('/templates', { body: { name, body, variables }, answer: templateWire }, callOptions),
      delete: (id: string, callOptions: CallOptions) => remove('/ott/templates/{id}', id, callOptions),
    },

    ott: {
      send: (
        {
          channelId,
          templateId,
          to,
          variables,
          written = {},
        }: {
          channelId: string
          templateId: string
          to: string
          variables: Record<string, string | number>
          /** Numbers as JSON text, to keep decimals that a number drops: `12.50`. */
          written?: Record<string, string>
        },
        callOptions: CallOptions,
      ) =>
        post(
          '/ott/messages',
          {
            body: {
              channel_id: channelId,
              template_id: templateId,
              to,
              variables: { ...variables, ...asNumbers(written) },
            },
            answer: ottMessageWire,
          },
          callOptions,
        ),
    },

    messages: {
      get: (id: string, callOptions: CallOptions) =>
        get('/messages/{id}', { id, answer: sameId(messageWire, id) }, callOptions),
      release: (id: string, callOptions: CallOptions) =>
        post('/messages/{id}/release', { id, answer: messageTextWire, needsBody: false }, callOptions),
      /** Without filters: the spec doesn't show any. */
      list: (input: PageInput, callOptions: CallOptions) =>
        listPage('/messages', input, messageWire, callOptions),
    },

    contacts: {
      /** Omits an empty email, which the service may reject. */
      create: (
        {
          name,
          phone,
          email,
          tags,
        }: { name: string; phone: string; email: string; tags: Record<string, string> },
        callOptions: CallOptions,
      ) =>
        post(
          '/contacts',
          { body: { name, phone, ...(email === '' ? {} : { email }), tags }, answer: contactWire },
          callOptions,
        ),
      delete: (id: string, callOptions: CallOptions) => remove('/contacts/{id}', id, callOptions),
    },

    scheduled: {
      list: (input: PageInput, callOptions: CallOptions) =>
        listPage('/scheduled-messages', input, scheduledMessageWire, callOptions),
    },

    dnc: {
      list: (input: PageInput, callOptions: CallOptions) =>
        listPage('/dnc', input, listedDncEntryWire, callOptions),
      /** `clear` only when the parameter name is verified. */
      async check({ phone }: { phone: string }, callOptions: CallOptions): Promise<DncCheck> {
        const { value: parameter, provenance } = fieldNames().dncCheckParameter
        const { isBlocked, entry } = await get(
          '/dnc/check',
          { query: { [parameter]: phone }, answer: dncCheckWire },
          callOptions,
        )
        return { verdict: isBlocked ? 'blocked' : provenance === 'proven' ? 'clear' : 'not-proven', entry }
      },
    },

    analytics: {
      billingSummary: async (input: SpanInput, callOptions: CallOptions) =>
        get(
          '/analytics/billing-summary',
          { query: await spanQuery(input), answer: billingSummaryWire },
          callOptions,
        ),
      overview: async (input: SpanInput, callOptions: CallOptions) =>
        get(
          '/analytics/overview',
          { query: await spanQuery(input), answer: analyticsOverviewWire },
          callOptions,
        ),
    },

    dashboard: {
      get: (callOptions: CallOptions) => get('/dashboard', { answer: dashboardWire }, callOptions),
    },

    webhooks: {
      /**
       * The created subscription, or null when the response doesn't contain it (the spec doesn't show its shape).
       * `secret` never appears in logs or errors.
       */
      async create(
        { url, events, secret }: { url: string; events: string[]; secret?: string },
        callOptions: CallOptions,
      ) {
        const body = { url, events, ...(secret === undefined ? {} : { secret }) }
        const subscription = await post(
          '/webhooks',
          { body, answer: createdWebhookWire, needsBody: false },
          callOptions,
        )
        return { subscription }
      },
      /** Secrets are separate from the records, because they must not leave the core. */
      list: (input: PageInput, callOptions: CallOptions) =>
        listPage('/webhooks/subscriptions', input, webhookWire, callOptions),
      test: ({ id, eventType }: { id: string; eventType: string }, callOptions: CallOptions) =>
        post(
          '/webhooks/{id}/test',
          { id, body: { event_type: eventType }, answer: webhookTestWire, needsBody: false },
          callOptions,
        ),
    },

    errorCodes: {
      search: ({ text }: { text: string }, callOptions: CallOptions) =>
        get(
          '/error-codes/search',
          { query: { [fieldNames().errorCodeSearchParameter.value]: text }, answer: listOf(errorCodeWire) },
          callOptions,
        ),
    },
  }
}

/** Texts of numbers as JSON numbers of exactly this form. TypeScript doesn't know `rawJSON` yet. */
const asNumbers = (written: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(written).map(([name, text]) => [
      name,
      (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text),
    ]),
  )

const refuse = (detail: Phrase): Promise<never> => Promise.reject(new AppError('INVALID_INPUT', { detail }))

/** Rejects a different record than requested. */
const sameId = <T extends { id: string }>(record: z.ZodType<T>, id: string): z.ZodType<T> =>
  record.refine((value) => value.id.toLowerCase() === id.toLowerCase(), {
    path: ['id'],
    error: 'fault.otherRecord',
  })

/** 401 is a wrong password; 404 means the Base URL is no messaging service. */
function loginError(error: unknown): unknown {
  if (!isAppError(error) || isPageError(error)) return error
  if (error.data['status'] === 401) return new AppError('WRONG_PASSWORD', error.data, { cause: error })
  if (error.data['status'] === 404)
    return new AppError(
      'NOT_THE_SERVICE',
      { ...error.data, received: 'status 404 to a sign-in' },
      { cause: error },
    )
  return error
}
