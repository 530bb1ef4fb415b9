import * as z from 'zod'
import { isoTime, procedure } from './define.ts'
import { listenerStatusSchema } from './status.ts'

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
})
export type ListenerSecret = z.infer<typeof listenerSecretSchema>

/** A delivery that was turned away. Nothing of it was stored as an event. */
export const refusalSchema = z.object({
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

const view = z.object({
  config: listenerConfigSchema,
  secrets: z.array(listenerSecretSchema),
  status: listenerStatusSchema,
})

export const listenerContract = {
  get: procedure.output(view),
  /** Moves the listener. When the new place cannot be had, it says so and stays without a port: it never takes another by itself. */
  configure: procedure.input(listenerConfigSchema.extend({ port: z.int().min(1).max(65_535) })).output(view),
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
  /** The last refused deliveries, newest first, at most 200. */
  refusals: procedure.output(z.object({ refusals: z.array(refusalSchema), total: z.int(), asOf: isoTime })),
}
