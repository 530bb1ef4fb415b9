import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, openCountSchema, procedure, nothing } from '../define.ts'
import { listenerStateSchema, listenerStatusSchema, relayStatusSchema } from '../live/listener.ts'
import { dncListSchema } from '../people/dnc.ts'
import { outboxOperationSchema } from '../people/outbox.ts'
import { failedShareRule } from '../views/campaign-alert-rules.ts'
import { deceiving } from '../visible-text.ts'

/** Colours of a connection; the renderer maps them to its palette. */
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

/** A web page; addresses with a user name or password are refused. */
export const webAddressSchema = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine((url) => URL.parse(url)?.username === '' && URL.parse(url)?.password === '')

/** A messaging service and how to sign in. Holds no secret. */
export const connectionSchema = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  /** `sandbox` is the built-in service; its address changes on each start. */
  kind: z.enum(['service', 'sandbox']),
  colour: z.enum(connectionColours),
  /** Production connections confirm destructive actions by name. */
  production: z.boolean(),
  credentialKind: z.enum(['password', 'api-key']),
  username: z.string().nullable(),
  allowPlainHttp: z.boolean(),
  /** ISO 3166, two letters: country of numbers without a country code. Null until chosen. */
  country: z.string().length(2).nullable(),
  /** The service's own web page, as the operator entered it. */
  dashboardUrl: z.string().nullable(),
  lastUsedAt: isoTime.nullable(),
})
export type Connection = z.infer<typeof connectionSchema>

/** Where secrets are stored. `problem` says why it isn't the OS keychain. */
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

/** Line breaks, and marks that change the direction of what follows, would make a name look like another. */
export const connectionNameSchema = z
  .string()
  .overwrite((name) => name.replace(deceiving, ' ').replace(/ {2,}/g, ' ').trim())
  .min(1)
  .max(60)

export const connectInputSchema = z.object({
  /** Connection to sign in to again; absent creates one. */
  id: z.string().optional(),
  name: connectionNameSchema,
  baseUrl: z.string().trim().min(1).max(2_000),
  colour: z.enum(connectionColours),
  production: z.boolean(),
  /** Allows plain http to this host when it isn't this computer. */
  allowPlainHttp: z.boolean().default(false),
  /** Saves the connection even if the service can't be reached. An API key is tried later, a password is not. */
  evenOffline: z.boolean().default(false),
  credential: credentialSchema,
})
export type ConnectInput = z.infer<typeof connectInputSchema>

/** Requests that wait in an outbox, by operation. */
export const waitingRequestsSchema = z.partialRecord(outboxOperationSchema, z.int())

/** A connection from a backup, before its first sign-in on this computer. */
const restoredSchema = z.object({ id: z.string(), createdAt: isoTime, waiting: waitingRequestsSchema })
export type RestoredConnection = z.infer<typeof restoredSchema>

const opened = z.object({ connection: connectionSchema, secrets: secretsViewSchema })

/** One saved connection as it is now. All signed-in connections are live at the same time. */
export const connectionActivitySchema = z.object({
  connection: connectionSchema,
  /**
   * `live`: receives events and sends its outbox. `connecting`: opens, or waits for its turn. `off`: not kept live
   * in the background. `failed`: could not be opened; `problem` says why.
   */
  state: z.enum(['live', 'connecting', 'signed-out', 'off', 'failed']),
  /** What needs attention: the opening, the sign-in, the listener, an error banner or the network, in this order. */
  problem: errorViewSchema.nullable(),
  /** Stays live while another one is in front. */
  background: z.boolean(),
  /** `expired` still receives events. `none` while it is not open. */
  session: z.enum(['none', 'signing-in', 'signed-in', 'expired', 'signed-out']),
  listener: z.object({
    state: listenerStateSchema,
    /** Its path at the shared port; null before it was opened once. */
    path: z.string().nullable(),
    /** Null unless listening at a port. */
    url: z.string().nullable(),
    /** Null while no relay is read. */
    relay: relayStatusSchema.nullable(),
    /** Rejected deliveries. */
    refusedLastMinute: z.int(),
    lastDeliveryAt: listenerStatusSchema.shape.lastDeliveryAt,
    silence: listenerStatusSchema.shape.silence,
  }),
  /** Events of the last 60 s. */
  eventsPerMinute: z.int(),
  /** Events of the last 30 min, up to 5 s old. Null while it is not open. */
  lastHalfHour: z
    .object({
      /** Per minute, oldest first; the last minute is not over. */
      perMinute: z.array(z.int()),
      /** Failed and rejected messages, and all that were sent (`failedOfSent`). */
      failed: z.int(),
      sent: z.int(),
      /** From which share it is red. */
      limit: failedShareRule,
    })
    .nullable(),
  /** Senders with unread messages. */
  unreadConversations: z.int(),
  openGap: z.object({ from: isoTime, reason: z.string() }).nullable(),
  /** Campaigns whose alert rule is triggered. */
  alerts: z.int(),
  /** At the last reading. Null before it, and while it is not open. */
  runningCampaigns: openCountSchema.nullable(),
  /** The offline copy of the DNC list. Null while it is not open. */
  dncList: dncListSchema.nullable(),
  /** Null while it is not open, or the service doesn't respond. */
  rateLimit: z.object({ limitPerMinute: z.int(), used: z.int(), remaining: z.int() }).nullable(),
  /** Requests in the outbox that wait or are being sent. */
  queuedRequests: z.int(),
})
export type ConnectionActivity = z.infer<typeof connectionActivitySchema>

export const connectionsContract = {
  list: procedure.output(
    z.object({
      connections: z.array(connectionSchema),
      secrets: secretsViewSchema,
      restored: z.array(restoredSchema),
      /** Those that couldn't be opened, and why. */
      failed: z.array(z.object({ id: z.string(), problem: errorViewSchema })),
    }),
  ),
  /**
   * Signs in, saves the connection and its secret, and opens it. Saves nothing on failure, except with `evenOffline`
   * and an error of the network.
   */
  connect: procedure.input(connectInputSchema).output(opened),
  /** Starts the sandbox if needed, signs in and points its webhooks at the listener. */
  openSandbox: procedure.output(opened),
  /** All saved connections, last used first: now and on change, at most once a second. */
  watch: procedure.output(
    eventIterator(z.object({ connections: z.array(connectionActivitySchema), asOf: isoTime })),
  ),
  /** Keeps a connection live while another one is in front, or not. Never closes the one in front. */
  setBackground: procedure.input(z.object({ id: z.string(), background: z.boolean() })).output(nothing),
  /** Brings a saved connection to the front; the others stay live. Works offline with stored data. */
  open: procedure.input(z.object({ id: z.string() })).output(opened),
  update: procedure
    .input(
      z.object({
        id: z.string(),
        name: connectionNameSchema,
        colour: z.enum(connectionColours),
        production: z.boolean(),
        /** Unchanged without it, as is the next. */
        country: z.string().length(2).nullable().optional(),
        dashboardUrl: webAddressSchema.nullable().optional(),
      }),
    )
    .output(connectionSchema),
  /** Opens the dashboard in the system's browser. UNSUPPORTED where the page itself can; NOT_FOUND without its address. */
  openDashboard: procedure.input(z.object({ id: z.string() })).output(nothing),
  /** Logs out at the service and deletes the secrets; keeps the data. `problem` says what failed. */
  signOut: procedure
    .input(z.object({ id: z.string() }))
    .output(z.object({ problem: errorViewSchema.nullable() })),
  /**
   * Signs out and deletes the connection with its databases. `problem` says what failed; FOLDER_NOT_DELETED is tried again at the next
   * start. CONFIRMATION_MISMATCH on production.
   */
  remove: procedure
    .input(z.object({ id: z.string(), confirmName: z.string().optional() }))
    .output(z.object({ problem: errorViewSchema.nullable() })),
  /** Retries the keychain and moves secrets from memory into it. */
  retryKeychain: procedure.output(secretsViewSchema),
}
