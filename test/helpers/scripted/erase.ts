import type { EraseReceipt } from '#contract/connection/erase.ts'
import type { Script } from './script.ts'
import { ago, minuteMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

/** An erasure that has finished. */
export function scriptedErase(tasks: ScriptedTasks): Script['erase'] {
  const { taskId } = tasks.finish({ kind: 'erase', subject: 'Number ending in 12' })
  const receipt: EraseReceipt = {
    id: 'erase-0',
    ending: '12',
    taskId,
    startedAt: ago(minuteMs),
    endedAt: ago(0),
    removed: [
      { place: 'contacts', count: 1 },
      { place: 'deliveries', count: 12 },
      { place: 'events', count: 9 },
      { place: 'files', count: 2 },
    ],
    kept: [{ reason: 'hashed-hold', count: 1 }],
    team: { erased: ['Ben'], kept: [], missing: ['Cleo'], inLog: 0 },
    files: [
      { kind: 'file', name: 'people.csv' },
      { kind: 'send', name: 'people.csv' },
    ],
  }
  return { start: () => receipt, receipts: () => ({ items: [receipt] }) }
}
