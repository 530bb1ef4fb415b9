import * as z from 'zod'
import { freshnessSchema, procedure } from './define.ts'
import { campaignSchema } from './domain.ts'
import { campaignStatuses } from './words.ts'

export const campaignsContract = {
  /** One page of the service's list. Answers with the last known page, marked so, when the service cannot be asked. */
  list: procedure
    .input(
      z.object({
        page: z.int().min(1).default(1),
        perPage: z.int().min(1).max(100).default(20),
        status: z.enum(campaignStatuses).optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(campaignSchema),
        total: z.int(),
        page: z.int(),
        perPage: z.int(),
        freshness: freshnessSchema,
      }),
    ),
  /**
   * Pauses a running campaign: reads it, pauses it, reads it again. The console cannot resume it: the service offers no such call.
   * Errors: CAMPAIGN_NOT_RUNNING, PAUSE_NOT_CONFIRMED, CONFIRMATION_MISMATCH on a production connection.
   */
  pause: procedure.input(z.object({ id: z.string().min(1), confirmName: z.string().optional() })).output(
    z.object({
      campaign: campaignSchema,
      /** sent_count read just before the pause; null when the service did not say. */ sentBefore: z
        .number()
        .nullable(),
    }),
  ),
}
