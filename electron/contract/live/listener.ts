import * as z from 'zod'
import { errorViewSchema, isoTime, procedure, saidSchema } from '../define.ts'

export const listenerStateSchema = z.enum(['stopped', 'starting', 'listening', 'failed'])

/** `local`: at this computer's port. `relay`: from a relay, without a port. `both`: either. */
export const receiveModeSchema = z.enum(['local', 'relay', 'both'])

export const relayStatusSchema = z.object({
  /** `refused` waits for a person; `unreachable` is retried at `retryAt`. */
  state: z.enum(['connecting', 'connected', 'refused', 'unreachable']),
  refusal: z
    .enum([
      ...['insecure-url', 'token', 'revoked', 'other-inbox', 'ahead', 'replaced', 'version', 'not-a-relay'],
      'missing',
    ] as const)
    .nullable(),
  /** Why it is unreachable. */
  detail: saidSchema.nullable(),
  retryAt: isoTime.nullable(),
  /** Deliveries at the relay that aren't stored here yet. */
  behind: z.int(),
  /** Stored since the listener's start, or since this relay was set. */
  received: z.int(),
  /** Deliveries with a wrong signature in the same time. Not stored. */
  refusedSignatures: z.int(),
  lastDeliveryAt: isoTime.nullable(),
  /** Where the service delivers to this inbox; null before the first connect. */
  webhookUrl: z.string().nullable(),
})
export type RelayStatus = z.infer<typeof relayStatusSchema>

/** Why it is silent although it listens. */
const silenceSchema = z.object({
  /** `no-subscription`: none at the service points to Switchboard. `unconfirmed`: one list says so, a second one is awaited. `no-reports`: messages were sent, and no delivery report came for longer than usual. */
  kind: z.enum(['no-subscription', 'unconfirmed', 'no-reports']),
  /** When it began, or the last event; null when none ever arrived. */
  since: isoTime.nullable(),
  /** Messages sent since then, as far as counted. */
  sent: z.int(),
  /** A subscription to test. */
  subscriptionId: z.string().nullable(),
})
export type Silence = z.infer<typeof silenceSchema>

/** Actual state of the webhook listener; it may differ from its settings. */
export const listenerStatusSchema = z.object({
  /** With mode `relay`: `listening` while the relay is connected. */
  state: listenerStateSchema,
  /** Null with mode `local`. */
  relay: relayStatusSchema.nullable(),
  /** Where the service delivers, e.g. `http://127.0.0.1:8787/webhooks`. Null unless listening at a port. */
  url: z.string().nullable(),
  problem: errorViewSchema.nullable(),
  listeningSince: isoTime.nullable(),
  acknowledged: z.int(),
  unsigned: z.int(),
  refused: z.int(),
  /** Of `refused`, in the last minute. */
  refusedLastMinute: z.int(),
  /** As in `listener.refusals`. */
  lastRefusalReason: z.string().nullable(),
  /** Answered 503 because they couldn't be stored. */
  notStored: z.int(),
  lastDeliveryAt: isoTime.nullable(),
  /** True when no secret is known, so signatures can't be checked. */
  withoutSecret: z.boolean(),
  /** Labels of saved secrets that can't be read. Deliveries signed with them are rejected. */
  secretsNotKnown: z.array(z.string()),
  /** Null unless something is wrong. A quiet time is not. */
  silence: silenceSchema.nullable(),
})
export type ListenerStatus = z.infer<typeof listenerStatusSchema>

export const listenerConfigSchema = z.object({
  /** Shared by all connections. 0 (any free port) only from the command line; subscriptions need a fixed address. */
  port: z.int().min(0).max(65_535),
  /** Address to bind, shared by all connections. Beyond loopback it needs a secret. */
  address: z.string().trim().min(1).max(64),
  /** Path of this connection's deliveries. */
  path: z
    .string()
    .trim()
    .regex(/^\/[\w\-./]{0,200}$/, 'input.path'),
  /** Accepts and marks unsigned deliveries. Only on loopback; beyond it anyone could send them. */
  allowUnsigned: z.boolean(),
})
export type ListenerConfig = z.infer<typeof listenerConfigSchema>

/** Signing secret of the listener. The value never leaves the core. */
export const listenerSecretSchema = z.object({
  id: z.string(),
  label: z.string(),
  addedAt: isoTime,
  /** After a rotation: accepted until then. */
  retiresAt: isoTime.nullable(),
  /**
   * `unread`: the keychain isn't available, retried later. `lost`: the value is gone, as after a run without a
   * keychain. `memory`: it will be gone after this run.
   */
  value: z.enum(['known', 'memory', 'unread', 'lost']),
})
export type ListenerSecret = z.infer<typeof listenerSecretSchema>

/** A rejected delivery; not stored as an event. */
export const refusalSchema = z.object({
  id: z.string(),
  at: isoTime,
  /** HTTP status returned. */
  status: z.int(),
  reason: z.string(),
  remote: z.string(),
  method: z.string(),
  path: z.string(),
  sizeBytes: z.int().nullable(),
})
export type Refusal = z.infer<typeof refusalSchema>

/** Why a delivery was rejected, as far as the request and the stored secrets show. */
export const refusalDetailSchema = refusalSchema.extend({
  /** Without credentials; lower-case names. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** First 2,048 bytes as text; null when the body wasn't read. */
  body: z.string().nullable(),
  /** First 12 digits of X-Webhook-Signature, or the header if it isn't a signature; null without one. */
  receivedSignature: z.string().nullable(),
  /** Start of each secret's signature of the body, as a full one would let anyone send it; empty without a body. */
  computed: z.array(
    z.object({
      label: saidSchema,
      signatureStart: z.string(),
      isSame: z.boolean(),
      retiredAt: isoTime.nullable(),
    }),
  ),
  /** Secrets without a known value. */
  untried: z.array(z.string()),
  /** The stored secret that made the signature, and why it still wasn't accepted. A match is proof. */
  match: z
    .object({
      label: saidSchema,
      /** How the header was written. */
      received: z.enum(['as-is', 'decorated', 'upper-case', 'base64']),
      /** How the sender used the secret. */
      secret: z.enum(['as-is', 'without-blanks', 'hex-decoded', 'base64-decoded']),
      retiredAt: isoTime.nullable(),
    })
    .nullable(),
})
export type RefusalDetail = z.infer<typeof refusalDetailSchema>

/** The relay of this connection. The token never leaves the core. */
const relaySettingsSchema = z.object({
  mode: receiveModeSchema,
  url: z.string().nullable(),
  inbox: z.string().nullable(),
  hasToken: z.boolean(),
  /** The keychain can't return the token now; retried later. */
  tokenUnread: z.boolean(),
})
export type RelaySettings = z.infer<typeof relaySettingsSchema>

export const relayOrderSchema = z.object({
  mode: receiveModeSchema,
  /** Without the feed's path. `http:` only on this computer. */
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .nullable(),
  inbox: z.string().trim().min(1).max(64).nullable(),
  /** Absent: the stored one stays. Needed again for another relay. */
  token: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,1024}$/, 'input.relayToken')
    .optional(),
})
export type RelayOrder = z.infer<typeof relayOrderSchema>

const publicBaseSchema = z.url({ protocol: /^https?$/ }).max(2_000)

const view = z.object({
  config: listenerConfigSchema,
  /** Address of a tunnel or proxy in front of the listener, for all connections. */
  publicBase: z.string().nullable(),
  /** Where a service reaches it: the relay's `webhookUrl` if one is read, else `publicBase` with this connection's path. */
  publicUrl: z.string().nullable(),
  secrets: z.array(listenerSecretSchema),
  relay: relaySettingsSchema,
  status: listenerStatusSchema,
})

export const listenerMoveSchema = listenerConfigSchema.extend({
  port: z.int().min(1).max(65_535),
  /** Subscribes the new address to the old one's events. The old subscriptions remain: the API cannot change or delete them. */
  replaceSubscriptions: z.boolean().default(false),
})
export type ListenerMove = z.input<typeof listenerMoveSchema>

export const listenerContract = {
  get: procedure.output(view),
  /** Moves the listener. If the address isn't available, it reports that and stays stopped; it never picks another. */
  configure: procedure.input(listenerMoveSchema).output(view),
  /** Sets the address of the tunnel or proxy, for all connections. */
  setPublicBase: procedure.input(z.object({ publicBase: publicBaseSchema.nullable() })).output(view),
  /** Sets where deliveries come from. A refused relay is tried again. INVALID_INPUT when the relay can't be used like this. */
  setRelay: procedure.input(relayOrderSchema).output(view),
  /** Connects to the relay again, after a refusal or before `retryAt`. */
  retryRelay: procedure.output(view),
  /** A free port above the configured one, or null. Doesn't reserve it. */
  freePort: procedure.output(z.object({ port: z.int().nullable() })),
  /** Adds a secret. `retireOthersAfterHours` retires the earlier ones after that time. */
  addSecret: procedure
    .input(
      z.object({
        label: z.string().trim().min(1).max(60),
        value: z.string().min(1).max(1_024),
        retireOthersAfterHours: z.int().min(0).max(168).optional(),
      }),
    )
    .output(view),
  removeSecret: procedure.input(z.object({ id: z.string() })).output(view),
  /** NOT_FOUND once newer ones replaced it. */
  refusal: procedure.input(z.object({ id: z.string().max(64) })).output(refusalDetailSchema),
  /** Last rejected deliveries, newest first: at most 2,000, fewer with large bodies. */
  refusals: procedure.output(
    z.object({
      refusals: z.array(refusalSchema),
      /** All since the listener started. */
      total: z.int(),
      /** The same, by reason. */
      byReason: z.record(z.string(), z.int()),
      asOf: isoTime,
    }),
  ),
}
