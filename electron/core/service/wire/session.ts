import * as z from 'zod'
import { number } from './fields.ts'

/** Tokens of a sign-in or refresh. */
export interface SessionTokens {
  accessToken: string
  /** Null when not returned: after a refresh the old one stays valid. */
  refreshToken: string | null
  /** Lifetime of the access token; null when not given. */
  expiresInMs: number | null
}

/** For a header, so visible ASCII only (RFC 6750, 2.1 allows less). */
const token = z
  .string('fault.missing')
  .min(1, 'fault.empty')
  .regex(/^[!-~]*$/, 'fault.notInHeader')

const toTokens = (wire: {
  access_token: string
  refresh_token: string | null
  expires_in: number | null
}): SessionTokens => ({
  accessToken: wire.access_token,
  refreshToken: wire.refresh_token,
  expiresInMs: wire.expires_in !== null && wire.expires_in > 0 ? wire.expires_in * 1_000 : null,
})

/** POST /auth/login: both tokens are required. */
export const loginWire = z
  .object({ access_token: token, refresh_token: token, expires_in: number })
  .transform(toTokens)

/** POST /auth/refresh: a new access token; the spec shows no more. */
export const refreshWire = z
  .object({ access_token: token, refresh_token: token.nullable().catch(null), expires_in: number })
  .transform(toTokens)
