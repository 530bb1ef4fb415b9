import * as z from 'zod'
import { freshnessSchema, isoTime, procedure, saidSchema } from '../define.ts'

const familySchema = z.enum(['dlr', 'mo'])

/** A webhook subscription, without its secret. */
export const subscriptionSchema = z.object({
  id: z.string(),
  url: z.string(),
  /** As the service names them. */
  events: z.array(z.string()),
  /** Families of these names, where known. */
  families: z.array(familySchema),
  status: z.string().nullable(),
  createdAt: isoTime.nullable(),
  /** True when its URL is this listener’s, or deliveries arrived that only its secret signs, as through a forwarder. */
  pointsHere: z.boolean(),
  /** True when the listener has its secret. */
  secretKnown: z.boolean(),
  /** True when that secret is lost when Switchboard quits. */
  secretInMemory: z.boolean(),
  /** Deliveries with its secret since the listener's first start in this run; null when the secret is unknown. */
  arrived: z.object({ count: z.int(), lastAt: isoTime.nullable(), since: isoTime.nullable() }).nullable(),
})
export type Subscription = z.infer<typeof subscriptionSchema>

/** One step of a test event. `not-reached`: after a failed one; `unsure`: undetermined, and the trip continues. */
export const roundTripHopSchema = z.object({
  /** `relay` replaces `listener` when the subscription delivers to a relay. */
  name: z.enum(['subscription', 'listener', 'relay', 'service', 'network', 'signature', 'storage', 'parser']),
  state: z.enum(['ok', 'failed', 'unsure', 'not-reached']),
  /** What was observed, and what to do if it failed. */
  text: saidSchema,
})
export type RoundTripHop = z.infer<typeof roundTripHopSchema>

/** Result of one test event, requested from the service and awaited at the listener. */
export const roundTripSchema = z.object({
  family: familySchema,
  verdict: z.enum(['passed', 'failed']),
  hops: z.array(roundTripHopSchema),
  /** From the request to the stored event, milliseconds; null if none arrived. */
  tookMs: z.number().nullable(),
  /** True when the event may be ordinary traffic: the service named no ID of its test event, or another one. */
  maybeOrdinary: z.boolean(),
  /** Journal number of the event; null if none arrived. */
  seq: z.int().nullable(),
  asOf: isoTime,
})
export type RoundTrip = z.infer<typeof roundTripSchema>

/** Longest signing secret for a keychain. */
const secretMax = 1_024

export const subscribeOrderSchema = z.object({
  /** Where the service delivers: the listener's address, a public address that leads to it, or another receiver's. */
  url: z.url().max(2_000),
  /** `dlr` and `mo` mean their families; other names are sent unchanged. */
  events: z.array(z.string().trim().min(1).max(100)).min(1).max(20),
  /** `here`: the address leads to this listener, which must know the secret. `elsewhere`: Switchboard stores no secret. */
  receiver: z.enum(['here', 'elsewhere']),
  secret: z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['generate', 'none']) }),
    z.object({ kind: z.literal('own'), value: z.string().min(1).max(secretMax) }),
  ]),
  /** Create it even if a matching subscription exists. */
  evenIfFits: z.boolean().default(false),
})
export type SubscribeOrder = z.infer<typeof subscribeOrderSchema>

export const subscribeResultSchema = z.object({
  /** `fits`: subscriptions already deliver all of this to that address, and nothing was created. */
  outcome: z.enum(['created', 'fits']),
  /** Null when the service does not list it yet. */
  subscription: subscriptionSchema.nullable(),
  /** The generated secret for another receiver. It is not stored, so this is the only time it is available. */
  secret: z.string().nullable(),
})
export type SubscribeResult = z.infer<typeof subscribeResultSchema>

export const webhooksContract = {
  /** `background`: a background refresh, with lower priority than requests of a person. */
  list: procedure.input(z.object({ background: z.boolean().default(false) }).optional()).output(
    z.object({
      subscriptions: z.array(subscriptionSchema),
      /** Records that can't be read. */
      unreadable: z.int().optional(),
      freshness: freshnessSchema,
    }),
  ),
  /** The last complete list with what has arrived until now, without a request. Empty before one. */
  arrivals: procedure.output(z.object({ subscriptions: z.array(subscriptionSchema) })),
  /** Subscribes an address to the events that no matching subscription delivers there. With `here`, secrets go to the keychain. */
  subscribe: procedure.input(subscribeOrderSchema).output(subscribeResultSchema),
  /** Sends a test event through the service and waits up to about 8 s for it. NOT_FOUND. */
  roundTrip: procedure.input(z.object({ id: z.string(), family: familySchema })).output(roundTripSchema),
}
