import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'

/** 7 days, from the spec's limits. */
const refreshTokenSeconds = 7 * 24 * 3_600

interface Claims {
  sub: string
  sid: string
  typ: 'access' | 'refresh'
  /** Unix seconds. */
  iat: number
  exp: number
  /** Raised to expire all access tokens at once. */
  gen: number
  jti: number
}

interface Session {
  userId: string
  expiresSeconds: number
}

/** Kept in the state file. */
export interface SessionState {
  key: string
  nextId: number
  generation: number
  sessions: [string, Session][]
}

export type Sessions = ReturnType<typeof createSessions>

const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
/** A new session beyond this ends the oldest. */
const sessionsCap = 20_000

/** Access and refresh tokens: HS256 JSON Web Tokens bound to a session that a logout ends. */
export function createSessions(clock: Clock, accessTokenSeconds: number, kept?: SessionState) {
  const key = kept ? Buffer.from(kept.key, 'base64url') : randomBytes(32)
  const sessions = new Map<string, Session>(kept?.sessions ?? [])
  let nextId = kept?.nextId ?? 1
  let generation = kept?.generation ?? 0
  const nowSeconds = () => clock.now() / 1_000

  const mac = (text: string) => createHmac('sha256', key).update(text).digest()

  function sign(
    sessionId: string,
    userId: string,
    typ: Claims['typ'],
    lifeSeconds: number,
    jti: number,
  ): string {
    const iat = Math.floor(nowSeconds())
    const claims: Claims = {
      sub: userId,
      sid: sessionId,
      typ,
      iat,
      exp: iat + lifeSeconds,
      gen: generation,
      jti,
    }
    const text = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
    return `${text}.${mac(text).toString('base64url')}`
  }

  /** The claims of a token this sandbox signed, expired or not. */
  function read(token: string): Claims | null {
    const [head, body, signature, more] = token.split('.')
    if (head !== header || !body || !signature || more !== undefined) return null
    const given = Buffer.from(signature, 'base64url')
    const expected = mac(`${head}.${body}`)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
    // Several texts decode to one signature; only the issued one counts.
    if (given.toString('base64url') !== signature) return null
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims
  }

  function valid(token: string, typ: Claims['typ']): Claims | null {
    const claims = read(token)
    if (!claims || claims.typ !== typ || nowSeconds() >= claims.exp) return null
    if (!sessions.has(claims.sid)) return null
    if (typ === 'access' && claims.gen !== generation) return null
    return claims
  }

  return {
    open(userId: string) {
      const sessionId = randomBytes(12).toString('base64url')
      if (sessions.size >= sessionsCap) sessions.delete(sessions.keys().next().value!)
      sessions.set(sessionId, {
        userId,
        expiresSeconds: Math.floor(nowSeconds()) + refreshTokenSeconds,
      })
      return {
        accessToken: sign(sessionId, userId, 'access', accessTokenSeconds, nextId++),
        refreshToken: sign(sessionId, userId, 'refresh', refreshTokenSeconds, nextId++),
        expiresInSeconds: accessTokenSeconds,
      }
    },
    /** The user and session of a valid access token, else null. */
    readAccess(token: string) {
      const claims = valid(token, 'access')
      return claims && { userId: claims.sub, sessionId: claims.sid }
    },
    /** The user of a valid refresh token, else null. */
    readRefresh: (token: string) => valid(token, 'refresh')?.sub ?? null,
    /** A new access token for a valid refresh token, else null. */
    refresh(token: string): { accessToken: string; expiresInSeconds: number } | null {
      const claims = valid(token, 'refresh')
      return (
        claims && {
          accessToken: sign(claims.sid, claims.sub, 'access', accessTokenSeconds, nextId++),
          expiresInSeconds: accessTokenSeconds,
        }
      )
    },
    close(sessionId: string): void {
      sessions.delete(sessionId)
    },
    /** Expires every access token; refresh tokens stay valid. */
    expireAccessTokens(): void {
      generation++
    },
    state(): SessionState {
      const now = nowSeconds()
      return {
        key: key.toString('base64url'),
        nextId,
        generation,
        sessions: [...sessions].filter(([, session]) => session.expiresSeconds > now),
      }
    },
  }
}
