/** One permission per group of endpoints. */
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

/** The sandbox's own roles: the spec shows no permission model. */
export type Role = 'operator' | 'viewer' | 'integration'

const readings: Permission[] = [
  'campaigns:read',
  'messages:read',
  'scheduled:read',
  'dnc:read',
  'analytics:read',
  'error-codes:read',
]

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
  // No `webhooks:read`: the subscription list shows signing secrets.
  viewer: new Set(readings),
  integration: new Set<Permission>([
    'messages:read',
    'ott:send',
    'contacts:write',
    'dnc:read',
    'error-codes:read',
  ]),
}

export function isAllowed(role: Role, permission: Permission): boolean {
  return permissionsOf[role].has(permission)
}

/** Passwords are no secrets here: the sandbox prints them. */
export interface User {
  id: string
  username: string
  password: string
  role: Role
  /** Index into the sandbox's tenants. */
  tenant: number
}

/** The first user of the first tenant is the demo operator. */
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
