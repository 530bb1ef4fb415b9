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
})
export type Subscription = z.infer<typeof subscriptionSchema>

export const webhooksContract = {
  list: procedure.output(
    z.object({ subscriptions: z.array(subscriptionSchema), freshness: freshnessSchema }),
  ),
  /**
   * Creates a subscription for dlr and mo at `url` with a new random secret, which goes to the keychain and the listener.
   * `url` is the public address that leads to the listener, or the listener's own for a service on this computer.
   */
  subscribe: procedure
    .input(z.object({ url: z.url().max(2_000) }))
    .output(z.object({ subscription: subscriptionSchema.nullable() })),
}
