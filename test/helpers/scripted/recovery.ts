import type { Gap } from '#contract/live/events.ts'
import type { Script } from './script.ts'
import { ago, minuteMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

/** One gap whose affected messages were looked up, and others that need it. */
export const scriptedRecovery = (gaps: readonly Gap[], tasks: ScriptedTasks): Script['recovery'] => ({
  get: () => ({
    gaps: gaps
      .filter(({ proven, to }) => proven && to !== null)
      .map(({ from }, index) => ({
        from,
        open: { value: index === 0 ? 38 : 10_000, atLeast: index > 0 },
        run:
          index > 0
            ? null
            : {
                id: 'r-1',
                taskId: 't-recovery',
                startedAt: ago(40 * minuteMs),
                endedAt: ago(31 * minuteMs),
                read: 1_240,
                byStatus: [
                  { status: 'delivered', final: true, count: 1_102 },
                  { status: 'failed', final: true, count: 96 },
                  { status: 'submitted', final: false, count: 38 },
                ],
                notFound: 4,
                unreadable: 0,
                unreadableIds: [],
              },
      })),
    asOf: ago(0),
  }),
  start: ({ from }) => tasks.finish({ kind: 'recovery', subject: `gap from ${from}`, refId: from }),
})
