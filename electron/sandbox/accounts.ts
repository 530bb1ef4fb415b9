/** What a caller may do. One permission per group of endpoints; the endpoint table names the one it needs. */
export type Permission =
  | 'campaigns:read'
  | 'campaigns:pause'
  | 'messages:read'
  | 'messages:release'
  | 'templates:write'
  | 'ott:send'
  | 'contacts:write'
  | 'scheduled:read'
  | 'dnc:read'
  | 'analytics:read'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'error-codes:read'

/** The permission model is not shown by the spec; these three roles are the sandbox's own. */
export type Role = 'operator' | 'viewer' | 'integration'

const readings: Permission[] = [
  'campaigns:read',
  'messages:read',
  'scheduled:read',
  'dnc:read',
  'analytics:read',
  'error-codes:read',
]

/** What each role may do. */
const permissionsOf: Record<Role, ReadonlySet<Permission>> = {
  operator: new Set<Permission>([
    ...readings,
    'campaigns:pause',
    'messages:release',
    'templates:write',
    'ott:send',
    'contacts:write',
    'webhooks:read',
    'webhooks:write',
  ]),
  // The subscription list shows signing secrets, so that reading it is not for a viewer.
  viewer: new Set(readings),
  integration: new Set<Permission>([
    'messages:read',
    'ott:send',
    'contacts:write',
    'dnc:read',
    'error-codes:read',
  ]),
}

/** Whether users of a role may make the calls of a permission. */
export function isAllowed(role: Role, permission: Permission): boolean {
  return permissionsOf[role].has(permission)
}

/** Someone who can sign in. The sandbox's passwords are no secrets: it prints them. */
export interface User {
  id: string
  username: string
  password: string
  role: Role
  /** Index into the sandbox's tenants. */
  tenant: number
}

/** The tenants and users every sandbox starts with. The first user of the first tenant is the demo operator. */
export const seededTenants = [
  {
    name: 'Harbor Retail',
    slug: 'harbor',
    trafficShare: 1,
    users: [
      { username: 'operator@harbor.example', password: 'harbor-operator', role: 'operator' },
      { username: 'viewer@harbor.example', password: 'harbor-viewer', role: 'viewer' },
      { username: 'integration@harbor.example', password: 'harbor-integration', role: 'integration' },
    ],
  },
  {
    name: 'Larkspur Clinic',
    slug: 'larkspur',
    trafficShare: 0.05,
    users: [
      { username: 'operator@larkspur.example', password: 'larkspur-operator', role: 'operator' },
      { username: 'viewer@larkspur.example', password: 'larkspur-viewer', role: 'viewer' },
    ],
  },
  {
    name: 'Meridian Freight',
    slug: 'meridian',
    trafficShare: 0.05,
    users: [{ username: 'operator@meridian.example', password: 'meridian-operator', role: 'operator' }],
  },
] as const satisfies readonly {
  name: string
  slug: string
  trafficShare: number
  users: readonly { username: string; password: string; role: Role }[]
}[]
