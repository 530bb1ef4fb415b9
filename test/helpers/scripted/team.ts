import type { TeamChange, TeamView } from '#contract/live/team.ts'
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
    seq: 9,
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
  const by = (minutes: number, name: string | null) => ({ at: ago(minutes * minuteMs), by: name })
  const none = { about: '', text: '', count: 0, isRemoved: false }
  const changes: TeamChange[] = [
    { id: '9', ...by(1, 'Ben'), ...none, what: 'hold', about: '+14155550101', text: 'Asked by phone' },
    { id: '10', ...by(2, 'Ben'), ...none, what: 'opt-out', about: '+14155550103', text: 'STOP' },
    { id: '8', ...by(3, null), ...none, what: 'sent', count: 150 },
    { id: '7', ...by(9, 'Ben'), ...none, what: 'error-note', about: '30007', text: 'Ask the carrier first' },
    { id: '6', ...by(20, 'Cleo'), ...none, what: 'contact-filter', about: 'Gold in Berlin' },
    { id: '5', ...by(25, 'Cleo'), ...none, what: 'alert-rule', isRemoved: true },
    { id: '11', ...by(30, 'Ben'), ...none, what: 'auto-pause', about: 'camp-1', text: 'Autumn sale' },
    { id: '4', ...by(40, 'Ben'), ...none, what: 'done', about: '+14155550166' },
    { id: '3', ...by(60, 'Ben'), ...none, what: 'erase' },
  ]
  return {
    changes: ({ show = 'all' }) => ({
      items: show === 'all' ? changes : changes.slice(0, 1),
      nextCursor: null,
    }),
    watch: (_input, signal) => team.watch(signal),
    join: ({ name }) => set(name),
    keepErased() {
      team.set({ ...team.value(), erasures: [] })
      return team.value()
    },
    leave: () => set(null),
  }
}
