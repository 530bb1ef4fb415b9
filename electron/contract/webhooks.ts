import * as z from 'zod'
import { freshnessSchema, isoTime, procedure } from './define.ts'

/** A webhook subscription of the tenant, without its secret. */
export const subscriptionSchema = z.object({
  id: z.string(),
  url: z.string(),
  /** Event names as the service lists them. */
  events: z.array(z.string()),
  /** The families those names belong to, as far as they are known. */
  families: z.array(z.enum(['dlr', 'mo'])),
  status: z.string().nullable(),
  createdAt: isoTime.nullable(),
  /** True when its URL is this console's listener. */
  pointsHere: z.boolean(),
  /** True when the listener knows its secret. */
  secretKnown: z.boolean(),
  /** What arrived signed with its secret since `since`, when the listener first started in this run; null where the secret is not known here. */
  arrived: z.object({ count: z.int(), lastAt: isoTime.nullable(), since: isoTime.nullable() }).nullable(),
})
export type Subscription = z.infer<typeof subscriptionSchema>

/**
 * One hop of a test event's way. `failed` ends the way; `not-reached` lies behind a failed one; `unsure` could not be told and
 * does not end it.
 */
export const roundTripHopSchema = z.object({
  name: z.enum(['subscription', 'listener', 'service', 'network', 'signature', 'storage', 'parser']),
  state: z.enum(['ok', 'failed', 'unsure', 'not-reached']),
  /** What was seen there, and what to do where it failed. */
  text: z.string(),
})
export type RoundTripHop = z.infer<typeof roundTripHopSchema>

/** What became of one test event, asked for at the service and waited for at this console's port. */
export const roundTripSchema = z.object({
  subscriptionId: z.string(),
  family: z.enum(['dlr', 'mo']),
  verdict: z.enum(['passed', 'failed']),
  hops: z.array(roundTripHopSchema),
  /** From the call to the stored event, milliseconds; null when it did not arrive. */
  tookMs: z.number().nullable(),
  /** True when the subscription delivered shortly before, or more than one event since: what arrived may be of its ordinary traffic, which comes the same way, whether it passed or failed. */
  maybeOrdinary: z.boolean(),
  /** The journal number of what arrived; null when nothing did. */
  seq: z.int().nullable(),
  asOf: isoTime,
})
export type RoundTrip = z.infer<typeof roundTripSchema>

/** Longest signing secret to store in a keychain. */
const secretMax = 1_024

export const subscribeOrderSchema = z.object({
  /** Where the service delivers: the listener's address, a public address that leads to it, or another receiver's. */
  url: z.url().max(2_000),
  /** `dlr` and `mo` stand for their families; every other name is sent to the service unchanged. */
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
  /** `byItself` where no person asks: then the reading gives way to what people ask for, and takes as long as that needs. */
  list: procedure
    .input(z.object({ byItself: z.boolean().default(false) }).optional())
    .output(z.object({ subscriptions: z.array(subscriptionSchema), freshness: freshnessSchema })),
  /** Subscribes an address to the events that no matching subscription delivers there. With `here`, secrets go to the keychain. */
  subscribe: procedure.input(subscribeOrderSchema).output(subscribeResultSchema),
  /** Lets the service send a sample event to the subscription and waits for it here, at most about 8 s. NOT_FOUND for an unknown one. */
  roundTrip: procedure
    .input(z.object({ id: z.string(), family: z.enum(['dlr', 'mo']) }))
    .output(roundTripSchema),
}
