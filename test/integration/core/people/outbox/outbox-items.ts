import type { OutboxItem, OutboxStatus } from '#contract/people/outbox.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'

/** The number of the n-th contact in outbox tests. */
export const phoneOf = (n: number) => `+1415${2_000_000 + n}`

/** All items of the outbox, or those in some states. */
export async function everyItem(rpc: Rpc, states?: OutboxStatus[]): Promise<OutboxItem[]> {
  const found: OutboxItem[] = []
  for (let cursor: number | null = null; ;) {
    const page: Awaited<ReturnType<Rpc['outbox']['list']>> = await rpc.outbox.list({
      filter: states ? { states } : {},
      limit: 500,
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...page.items)
    cursor = page.nextCursor
    if (cursor === null) return found
  }
}
