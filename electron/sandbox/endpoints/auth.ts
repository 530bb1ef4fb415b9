import { createHash, timingSafeEqual } from 'node:crypto'
import type { User } from '../accounts.ts'
import { onlyFields, text } from '../http/checks.ts'
import { type Endpoint, type OpenCall, post } from '../http/endpoint.ts'
import { ok, unauthorized } from '../http/reply.ts'
import { type Service, tenantOf, userNamed } from '../service.ts'

export function bearerOf(authorization: string | undefined): string | null {
  return /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1] ?? null
}

const digest = (value: string) => createHash('sha256').update(value).digest()

/** The user with this name and password. Unknown names take as long as wrong passwords. */
function userOf(service: Service, username: unknown, password: unknown): User | null {
  const user = userNamed(service.users, username)
  const matches = timingSafeEqual(digest(String(password)), digest(user?.password ?? ''))
  return user && matches ? user : null
}

function refreshTenant({ service, headers }: OpenCall) {
  const token = bearerOf(headers.authorization)
  const userId = token && service.sessions.readRefresh(token)
  return userId ? tenantOf(service, userId) : null
}

/** The spec's Auth table. */
export const authEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/auth/login',
    permission: 'open',
    body: 'json',
    // A failed login counts for the address: it must not use up the tenant's limit or reveal that the user
    // exists.
    tenantOf({ service, readFields }) {
      const { username, password } = readFields()
      const user = userOf(service, username, password)
      return user && tenantOf(service, user.id)
    },
    handleOpen({ service, readFields }) {
      const fields = readFields()
      onlyFields(fields, ['username', 'password'])
      const user = userOf(service, text(fields, 'username'), text(fields, 'password'))
      if (!user) throw unauthorized()
      const session = service.sessions.open(user.id)
      service.stats.logins++
      return ok({
        access_token: session.accessToken,
        refresh_token: session.refreshToken,
        expires_in: session.expiresInSeconds,
      })
    },
  },
  {
    method: 'POST',
    path: '/auth/refresh',
    permission: 'open',
    body: 'none',
    tenantOf: refreshTenant,
    handleOpen({ service, headers, readFields }) {
      const token = bearerOf(headers.authorization)
      if (!token || service.sessions.readRefresh(token) === null) throw unauthorized()
      readFields()
      const session = service.sessions.refresh(token)
      if (!session) throw unauthorized()
      service.stats.refreshes++
      return ok({
        access_token: session.accessToken,
        expires_in: session.expiresInSeconds,
      })
    },
  },
  post('/auth/logout', null, 'none', ({ service, sessionId }) => {
    if (sessionId === null) return ok({ message: 'an API key has no session to end' })
    service.sessions.close(sessionId)
    return ok({ message: 'signed out' })
  }),
]
