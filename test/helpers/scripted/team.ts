import type { TeamView } from '#contract/live/team.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, minuteMs } from './broadcast.ts'

/** A team that has been joined, with a hold that lacks its proof. */
export function scriptedTeam(): Script['team'] {
  const team = createBroadcast<TeamView>({
    name: 'Ana',
    hasRelay: true,
    state: 'current',
    problem: null,
    readAt: ago(minuteMs),
    mayPost: true,
    waiting: 2,
    unverified: 1,
    skipped: 1,
    here: [
      { name: 'Ana', connection: 'Production', sent: 0, total: 0, isOwn: true },
      { name: 'Ben', connection: 'Harbor', sent: 1_204, total: 5_000, isOwn: false },
    ],
    erasures: [{ id: 'erasure', author: 'Ben', at: ago(minuteMs), phone: '+14155550112' }],
  })
  const set = (name: string | null) => {
    team.set({ ...team.value(), name })
    return team.value()
  }
  return {
    watch: (_input, signal) => team.watch(signal),
    join: ({ name }) => set(name),
    keepErased() {
      team.set({ ...team.value(), erasures: [] })
      return team.value()
    },
    leave: () => set(null),
  }
}
