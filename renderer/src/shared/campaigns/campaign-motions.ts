import type { CampaignMotion, CampaignWatchState } from '#contract/campaigns.ts'
import type { CampaignId } from '#contract/domain.ts'
import { type ShallowRef, shallowRef } from 'vue'
import type { Client } from '../../rpc/rpc.ts'

/** How campaigns on a page move. A reading that fails keeps what was there: the list beside it says why. */
export interface CampaignMotions {
  byId: Readonly<ShallowRef<ReadonlyMap<string, CampaignMotion>>>
  watch: Readonly<ShallowRef<CampaignWatchState | null>>
  /** Reads the motion of these; asks the core alone, never the service. */
  read(ids: readonly CampaignId[]): Promise<void>
}

/** Most campaigns of one question: the contract's bound. */
const atOnce = 100

export function createCampaignMotions(client: Pick<Client, 'campaigns'>): CampaignMotions {
  const byId = shallowRef<ReadonlyMap<string, CampaignMotion>>(new Map())
  const watch = shallowRef<CampaignWatchState | null>(null)
  let question = 0
  return {
    byId,
    watch,
    async read(ids) {
      const mine = ++question
      try {
        const answer = await client.campaigns.motion({ ids: ids.slice(0, atOnce) })
        if (mine !== question) return
        byId.value = new Map(answer.items.map((motion) => [motion.id, motion]))
        watch.value = answer.watch
      } catch {
        // What is shown stays; a page that shows motions shows the list's own failure.
      }
    },
  }
}
