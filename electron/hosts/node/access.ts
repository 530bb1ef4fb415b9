import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { BrowserSession } from '../../contract/connection/sessions.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/iso-time.ts'

/**
 * What a path demands beyond the right Host. `open`: not caused by another site. `read`: the browser confirms
 * that, and the session cookie. `change`: the console's own Origin. `socket`: Origin and session cookie.
 */
export type Guard = 'open' | 'read' | 'change' | 'socket'

/** `reason` goes to the log and the client; it quotes nothing of the request. */
export interface Refusal {
  status: 400 | 401 | 403 | 404 | 405
  reason: string
}

/** Bytes of a token and of a session value: 256 bits, which no number of attempts can guess. */
const secretBytes = 32
/** Most sessions; a new one replaces the oldest. */
const sessionLimit = 32
/** 30 days after sign-in, used or not. */
const sessionLifeMs = 30 * 86_400_000

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const createSecret = (): string => randomBytes(secretBytes).toString('base64url')

/**
 * Checks who may use the console's web server on `port`. Cookies ignore ports and a rebound name looks
 * same-origin, so the cookie alone proves nothing (measured in Chromium 156): Host must be our address, and
 * Origin must match it. `localhost` doesn't count as `127.0.0.1`: another user may listen on `[::1]` with our
 * port.
 */
export function createAccess(port: number, clock: Clock) {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  const cookieName = `switchboard-${port}`
  let sessions: {
    id: string
    digest: Buffer
    browser: string
    createdMs: number
    lastUsedMs: number
    endsAtMs: number
  }[] = []
  let onSessionEnd = () => {}
  let token = createSecret()
  let isSpent = false

  /** The first broken rule: Host, method and path, Origin and Sec-Fetch-Site, cookie. Null for none. */
  function judge(
    request: IncomingMessage,
    guardOf: (method: string, path: string) => Guard | 404 | 405,
  ): Refusal | null {
    const { headers, method = '' } = request
    if (hasRepeatedHeader(request)) return { status: 400, reason: 'A security header is repeated.' }
    if (!hosts.includes(headers.host ?? ''))
      return { status: 403, reason: 'This is not the address of Switchboard.' }
    const guard = guardOf(method, pathOf(request))
    if (guard === 404) return { status: 404, reason: 'Not found.' }
    if (guard === 405) return { status: 405, reason: 'Method not allowed.' }
    const reason = siteProblem(request, guard)
    if (reason !== null) return { status: 403, reason }
    if ((guard === 'read' || guard === 'socket') && !hasSession(request)) {
      return { status: 401, reason: 'This browser is not signed in.' }
    }
    return null
  }

  function siteProblem({ headers }: IncomingMessage, guard: Guard): string | null {
    const { origin } = headers
    const site = headers['sec-fetch-site']
    const isOwn = origin === `http://${headers.host ?? ''}`
    if (origin !== undefined && !isOwn) return 'The request came from another site.'
    if (guard === 'change' || guard === 'socket') {
      // A WebSocket handshake has no Sec-Fetch-Site, so Origin decides.
      return isOwn && (site === undefined || site === 'same-origin')
        ? null
        : 'The request came from another site.'
    }
    if (site === undefined) return guard === 'open' ? null : 'This browser is too old. Use a newer one.'
    if (site === 'same-origin' || site === 'none') return null
    return `The request came from another site.${guard === 'open' ? ' Copy the link into the address bar.' : ''}`
  }

  function sessionOf({ headers }: IncomingMessage) {
    const offered = cookieValues(headers.cookie ?? '', cookieName).map(digest)
    const nowMs = clock.now()
    sessions = sessions.filter(({ endsAtMs }) => endsAtMs > nowMs)
    return sessions.find(({ digest: own }) => offered.some((value) => timingSafeEqual(own, value)))
  }

  /** False once the session has expired. */
  function hasSession(request: IncomingMessage): boolean {
    const session = sessionOf(request)
    if (session) session.lastUsedMs = clock.now()
    return session !== undefined
  }

  /** Spends the one-time token. Returns the session's cookie, null for a wrong or spent token. */
  function exchange(offered: string, userAgent = ''): string | null {
    if (!timingSafeEqual(digest(offered), digest(token)) || isSpent) return null
    isSpent = true
    const value = createSecret()
    const nowMs = clock.now()
    sessions.push({
      id: randomUUID(),
      digest: digest(value),
      browser: browserName(userAgent),
      createdMs: nowMs,
      lastUsedMs: nowMs,
      endsAtMs: nowMs + sessionLifeMs,
    })
    if (sessions.length > sessionLimit) sessions.shift()
    return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict`
  }

  return {
    judge,
    hasSession,
    exchange,
    /** Newest first. */
    sessions(request: IncomingMessage): BrowserSession[] {
      const current = sessionOf(request)
      return sessions.toReversed().map((session) => ({
        id: session.id,
        browser: session.browser,
        createdAt: isoTime(session.createdMs),
        lastUsedAt: isoTime(session.lastUsedMs),
        endsAt: isoTime(session.endsAtMs),
        isCurrent: session === current,
      }))
    },
    /** Ignores unknown ids. */
    endSession(id: string): void {
      sessions = sessions.filter((session) => session.id !== id)
      onSessionEnd()
    },
    /** Called after the operator ends a session. */
    onSessionEnd(callback: () => void): void {
      onSessionEnd = callback
    },
    /** The address that signs one browser in; a new one once it was used. */
    link(): string {
      if (isSpent) {
        token = createSecret()
        isSpent = false
      }
      return `http://${hosts[0]}/#token=${token}`
    },
  }
}

/** The path as sent: only compared, never decoded or used as a file name. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0]!
}

/** Node keeps the first of several Hosts; a proxy may have believed another. */
function hasRepeatedHeader({ rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((_text, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return ['host', 'origin', 'sec-fetch-site'].some((name) => names.indexOf(name) !== names.lastIndexOf(name))
}

function cookieValues(header: string, name: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}

const browsers: readonly [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly [RegExp, string][] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** A browser's name for the operator. Only known names, because the client writes the header. */
function browserName(userAgent: string): string {
  const nameIn = (names: readonly [RegExp, string][]) => names.find(([mark]) => mark.test(userAgent))?.[1]
  const system = nameIn(systems)
  return `${nameIn(browsers) ?? 'Unknown browser'}${system === undefined ? '' : ` on ${system}`}`
}
