import { expect, it } from 'vitest'
import { createTeamChanges } from '#electron/core/live/team/changes.ts'
import { textOf } from '#electron/core/people/dnc/team-entries.ts'
import { createTeamRepository } from '#electron/core/people/dnc/team.repository.ts'
import { openState } from '../../views/campaigns/open-state.ts'

it('shows what someone sent within an hour as one change, named by its first part', () => {
  const db = openState()
  const team = createTeamRepository(db)
  const minutes = [
    ['Ben', 0],
    ['Ben', 90],
    ['Ben', 100],
    ['Cleo', 101],
    ['Ben', 102],
    ['Cleo', 103],
  ] as const
  for (const [at, [author, minute]] of minutes.entries()) {
    const to: [number, null][] = [[14155550101, null]]
    const by = { id: `s-${at}`, template: 't-1', channel: 'c-1', author, atMs: minute * 60_000 }
    const entry = { kind: 'sent' as const, ...by, to }
    team.take(entry, textOf(entry))
  }
  // Left out: what no one needs to read.
  team.take(
    { kind: 'value', id: 'v-1', of: 'error-note', key: '2', value: 'x', clockMs: 1, author: 'Ben', atMs: 1 },
    '',
  )
  const changes = createTeamChanges(db)
  const { items } = changes({ show: 'all', limit: 10 })
  expect(changes({ show: 'values', limit: 10 }).items).toEqual([])
  expect(items.map(({ id, by, count }) => [id, by, count])).toEqual([
    ['4', 'Cleo', 2],
    ['2', 'Ben', 3],
    ['1', 'Ben', 1],
  ])
})
