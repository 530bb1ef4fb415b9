import * as z from 'zod'
import { number } from './fields.ts'

/** What a sign-in or a refresh answers, as far as it is used. */
export interface SessionTokens {
  accessToken: string
  /** Null when the answer brings none: after a refresh the old one stays in use. */
  refreshToken: string | null
  /** Lifetime of the access token. Null when not given. */
  expiresInMs: number | null
}

/** Goes into a header, so visible ASCII only (RFC 6750, 2.1 allows less). */
const token = z
  .string('is missing')
  .min(1, 'is empty')
  .regex(/^[!-~]*$/, 'holds characters that no header can')
const lifetimeMs = (seconds: number | null) => (seconds !== null && seconds > 0 ? seconds * 1000 : null)

/** The answer of POST /auth/login: both tokens are required. */
export const loginWire = z
  .object({ access_token: token, refresh_token: token, expires_in: number })
  .transform((wire): SessionTokens => ({
    accessToken: wire.access_token,
    refreshToken: wire.refresh_token,
    expiresInMs: lifetimeMs(wire.expires_in),
  }))

/** The answer of POST /auth/refresh: a new access token; the spec does not show what else. */
export const refreshWire = z
  .object({ access_token: token, refresh_token: token.nullish().catch(null), expires_in: number })
  .transform((wire): SessionTokens => ({
    accessToken: wire.access_token,
    refreshToken: wire.refresh_token ?? null,
    expiresInMs: lifetimeMs(wire.expires_in),
  }))
