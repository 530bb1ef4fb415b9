import type { EraseReceipt } from '#contract/connection/erase.ts'
import type { Script } from './script.ts'
import { ago, minuteMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

/** Erasures that finish at once. */
export function scriptedErase(tasks: ScriptedTasks): Script['erase'] {
  const receipts: EraseReceipt[] = []
  return {
    start: ({ phone, keepHold }) => {
      const ending = phone.slice(-2)
      const { taskId } = tasks.finish({ kind: 'erase', subject: `Number ending in ${ending}`, counts: {} })
      const receipt: EraseReceipt = {
        id: `erase-${receipts.length}`,
        ending,
        taskId,
        startedAt: ago(minuteMs),
        endedAt: ago(0),
        removed: [
          { place: 'contacts', count: 1 },
          { place: 'deliveries', count: 12 },
          { place: 'events', count: 9 },
        ],
        kept: keepHold ? [{ reason: 'hashed-hold', count: 1 }] : [],
      }
      receipts.unshift(receipt)
      return receipt
    },
    receipts: () => ({ items: receipts }),
  }
}
