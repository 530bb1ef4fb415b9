import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'
import type { ErrorCode } from './errors.ts'

/** Colours a connection can wear; the renderer maps them to its palette. */
export const connectionColours = [
  'blue',
  'teal',
  'green',
  'amber',
  'orange',
  'red',
  'purple',
  'grey',
] as const

/** A named messaging service and how to sign in to it. Holds no secret. */
export const connectionSchema = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  /** `sandbox` is the built-in service; its address changes with every start. */
  kind: z.enum(['service', 'sandbox']),
  colour: z.enum(connectionColours),
  /** Destructive actions on a production connection ask for its name. */
  production: z.boolean(),
  credentialKind: z.enum(['password', 'api-key']),
  username: z.string().nullable(),
  allowPlainHttp: z.boolean(),
  lastUsedAt: isoTime.nullable(),
})
export type Connection = z.infer<typeof connectionSchema>

/** Where secrets are kept, with the operator's sentence when it is not the OS keychain. */
export const secretsViewSchema = z.object({
  kind: z.enum(['keychain', 'memory']),
  problem: errorViewSchema.nullable(),
})
export type SecretsView = z.infer<typeof secretsViewSchema>

const credentialSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('password'),
    username: z.string().trim().min(1).max(256),
    password: z.string().min(1).max(4_096),
  }),
  z.object({ kind: z.literal('api-key'), apiKey: z.string().trim().min(1).max(4_096) }),
])

const nameSchema = z.string().trim().min(1).max(60)

export const connectInputSchema = z.object({
  /** An existing connection to sign in to again; absent makes a new one. */
  id: z.string().optional(),
  name: nameSchema,
  baseUrl: z.string().trim().min(1).max(2_000),
  colour: z.enum(connectionColours),
  production: z.boolean(),
  /** Plain http to this host, which is not this computer, was allowed by name. */
  allowPlainHttp: z.boolean().default(false),
  /** Saves the connection also when the service cannot be reached: an API key is tried later, a password is to be typed again. */
  evenOffline: z.boolean().default(false),
  credential: credentialSchema,
})
/** Errors of `connect` after which nothing is known of the sign-in, since nobody answered: `evenOffline` helps. */
export const unansweredCodes = [
  'SERVICE_UNREACHABLE',
  'SERVICE_TIMEOUT',
  'PROXY_UNREACHABLE',
  'PROXY_REFUSED',
  'PROXY_SIGN_IN',
  'NOT_THE_SERVICE',
] as const satisfies ErrorCode[]

export type ConnectInput = z.infer<typeof connectInputSchema>

const opened = z.object({ connection: connectionSchema, secrets: secretsViewSchema })

/** A user of the built-in sandbox. */
export const sandboxUserSchema = z.object({ username: z.string(), role: z.string(), tenant: z.string() })
export type SandboxUser = z.infer<typeof sandboxUserSchema>

export const connectionsContract = {
  list: procedure.output(
    z.object({
      connections: z.array(connectionSchema),
      activeId: z.string().nullable(),
      secrets: secretsViewSchema,
    }),
  ),
  /**
   * Signs in, saves the connection and its secret, and makes it the active one. Nothing is saved when the sign-in fails, but with
   * `evenOffline` where nobody answered.
   */
  connect: procedure.input(connectInputSchema).output(opened),
  /** Starts the built-in service if needed, signs in to it, points its webhooks at the listener. */
  openSandbox: procedure.output(opened),
  /** Makes a saved connection the active one. Works without network: what is stored is shown with its age. */
  open: procedure.input(z.object({ id: z.string() })).output(opened),
  update: procedure
    .input(
      z.object({
        id: z.string(),
        name: nameSchema,
        colour: z.enum(connectionColours),
        production: z.boolean(),
      }),
    )
    .output(connectionSchema),
  /** Calls the service's logout, forgets the secrets, keeps the data. `problem` tells what could not be done. */
  signOut: procedure
    .input(z.object({ id: z.string() }))
    .output(z.object({ problem: errorViewSchema.nullable() })),
  /** Signs out and deletes the connection with its databases. A production connection needs its name typed. */
  remove: procedure
    .input(z.object({ id: z.string(), confirmName: z.string().optional() }))
    .output(z.object({ problem: errorViewSchema.nullable() })),
  /** Asks the keychain again and moves secrets held in memory into it. */
  retryKeychain: procedure.output(secretsViewSchema),
  /** Users of the built-in sandbox. INVALID_INPUT unless the sandbox is the open connection. */
  sandboxUsers: procedure.output(z.object({ users: z.array(sandboxUserSchema) })),
  /** Creates an API key with the permissions of a sandbox user. Only this answer contains the key. */
  createSandboxKey: procedure
    .input(z.object({ username: z.string().min(1).max(200) }))
    .output(z.object({ key: z.string() })),
}
