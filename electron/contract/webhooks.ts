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

export const webhooksContract = {
  /** `byItself` where no person asks: then the reading gives way to what people ask for, and takes as long as that needs. */
  list: procedure
    .input(z.object({ byItself: z.boolean().default(false) }).optional())
    .output(z.object({ subscriptions: z.array(subscriptionSchema), freshness: freshnessSchema })),
  /**
   * Creates a subscription for dlr and mo at `url` with a new random secret, which goes to the keychain and the listener.
   * `url` is the public address that leads to the listener, or the listener's own for a service on this computer.
   */
  subscribe: procedure
    .input(z.object({ url: z.url().max(2_000) }))
    .output(z.object({ subscription: subscriptionSchema.nullable() })),
  /** Lets the service send a sample event to the subscription and waits for it here, at most about 8 s. NOT_FOUND for an unknown one. */
  roundTrip: procedure
    .input(z.object({ id: z.string(), family: z.enum(['dlr', 'mo']) }))
    .output(roundTripSchema),
}
