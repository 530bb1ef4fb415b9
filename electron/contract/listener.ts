import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'

/** The webhook listener's actual state, which may differ from its settings. */
export const listenerStatusSchema = z.object({
  state: z.enum(['stopped', 'starting', 'listening', 'failed']),
  /** Where the service must deliver, e.g. `http://127.0.0.1:8787/webhooks`. Null while not listening. */
  url: z.string().nullable(),
  problem: errorViewSchema.nullable(),
  listeningSince: isoTime.nullable(),
  /** Start of the counts below: the listener's first start in this run, also after it moved. Null if it never started. */
  countedSince: isoTime.nullable(),
  acknowledged: z.int(),
  unsigned: z.int(),
  refused: z.int(),
  /** Of `refused`, those of the last minute. */
  refusedLastMinute: z.int(),
  /** Reason of the last refusal, as in `listener.refusals`. */
  lastRefusalReason: z.string().nullable(),
  /** Answered 503 because they could not be stored. */
  notStored: z.int(),
  lastDeliveryAt: isoTime.nullable(),
  /** True when no secret is known: no signature can be checked. */
  withoutSecret: z.boolean(),
  /** Saved secrets whose value cannot be read. Deliveries signed with them are refused. */
  secretsNotKnown: z.int(),
})
export type ListenerStatus = z.infer<typeof listenerStatusSchema>

export const listenerConfigSchema = z.object({
  /** 0 (any free port) only where the console was started with it; the settings cannot ask for it: the service must know the address. */
  port: z.int().min(0).max(65_535),
  /** Address to bind. Anything but loopback needs a secret. */
  address: z.string().trim().min(1).max(64),
  /** Path that deliveries are posted to. */
  path: z
    .string()
    .trim()
    .regex(/^\/[\w\-./]{0,200}$/, 'a path begins with / and holds letters, digits, - _ . /'),
  /** Accept deliveries without a signature, marked as such. Has no effect beyond loopback, where anyone could send them. */
  allowUnsigned: z.boolean(),
})
export type ListenerConfig = z.infer<typeof listenerConfigSchema>

/** A signing secret known to the listener. The value never leaves the core. */
export const listenerSecretSchema = z.object({
  id: z.string(),
  label: z.string(),
  addedAt: isoTime,
  /** Deliveries signed with it are accepted until then, after a rotation. */
  retiresAt: isoTime.nullable(),
  /**
   * Whether deliveries can be checked with it: `unread` while the keychain cannot be asked, which is tried again; `lost` when its value is
   * kept nowhere, as after the end of a console without a keychain.
   */
  value: z.enum(['known', 'unread', 'lost']),
})
export type ListenerSecret = z.infer<typeof listenerSecretSchema>

/** A delivery that was turned away. Nothing of it was stored as an event. */
export const refusalSchema = z.object({
  id: z.string(),
  at: isoTime,
  /** HTTP status it was answered with. */
  status: z.int(),
  reason: z.string(),
  remote: z.string(),
  method: z.string(),
  path: z.string(),
  sizeBytes: z.int().nullable(),
})
export type Refusal = z.infer<typeof refusalSchema>

/** Why a delivery was turned away, as far as what arrived and the stored secrets tell. */
export const refusalDetailSchema = refusalSchema.extend({
  /** Without credentials of any kind. Names in lower case. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** The first 2,048 bytes as text, null when the body was not read. */
  body: z.string().nullable(),
  /** The first 12 digits of X-Webhook-Signature, or what stood there where it is no signature; null without one. */
  receivedSignature: z.string().nullable(),
  /**
   * What each stored secret gives for the body as it arrived; empty when no body was read. Only the first 12 digits: a whole signature would
   * make a stranger's body acceptable.
   */
  computed: z.array(
    z.object({
      label: z.string(),
      signatureStart: z.string(),
      isSame: z.boolean(),
      retiredAt: isoTime.nullable(),
    }),
  ),
  /** Secrets that could not be tried, since their values are not known. */
  untried: z.array(z.string()),
  /** The stored secret that did make the signature, with what keeps it from being accepted. Such a match is a proof. */
  match: z
    .object({
      label: z.string(),
      /** How the value was written. */
      received: z.enum(['as-is', 'decorated', 'upper-case', 'base64']),
      /** How the sender used the secret. */
      secret: z.enum(['as-is', 'without-blanks', 'with-line-end', 'hex-decoded', 'base64-decoded']),
      /** What was signed, compared with what arrived. */
      body: z.enum([
        'as-is',
        'without-byte-order-mark',
        'with-byte-order-mark',
        'without-blanks-around',
        'with-line-end',
        'other-line-ends',
        'other-character-set',
        'other-json',
        'other-key-order',
      ]),
      retiredAt: isoTime.nullable(),
    })
    .nullable(),
  /** What in the request speaks of a change on its way. No proof. */
  hints: z.array(
    z.enum([
      'compressed',
      'proxied',
      'not-json-type',
      'empty',
      'byte-order-mark',
      'broken-characters',
      'not-json',
      'not-compact',
    ]),
  ),
})
export type RefusalDetail = z.infer<typeof refusalDetailSchema>

const view = z.object({
  config: listenerConfigSchema,
  secrets: z.array(listenerSecretSchema),
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
  /** Moves the listener. When the new place cannot be had, it says so and stays without a port: it never takes another by itself. */
  configure: procedure.input(listenerMoveSchema).output(view),
  /** A port above the configured one that could be had now, for one that cannot; null when none was found. It is not taken. */
  freePort: procedure.output(z.object({ port: z.int().nullable() })),
  /** Adds a secret; `retireOthersAfterHours` starts the grace time of those before it. */
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
  /** NOT_FOUND when newer ones have taken its place. */
  refusal: procedure.input(z.object({ id: z.string().max(64) })).output(refusalDetailSchema),
  /** The last refused deliveries, newest first: at most 2,000, fewer where their bodies are large. */
  refusals: procedure.output(
    z.object({
      refusals: z.array(refusalSchema),
      /** All since the listener started, also those that are no longer in the list. */
      total: z.int(),
      /** The same by reason. */
      byReason: z.record(z.string(), z.int()),
      asOf: isoTime,
    }),
  ),
}
