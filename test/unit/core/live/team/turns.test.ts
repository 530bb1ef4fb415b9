import { expect, it } from 'vitest'
import { createTurns } from '#electron/core/live/team/turns.ts'
import type { TeamTurn } from '#electron/core/people/dnc/team-entries.ts'
import { createPulse } from '#electron/lib/pulse.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

/** Consoles of one log, in which entries are readable once `deliver` is called. */
function openTeam(names: readonly string[]) {
  const clock = createFakeClock()
  const log: TeamTurn[] = []
  let isReachable = true
  const acted: string[] = []
  const consoles = names.map((name) => {
    const pulse = createPulse()
    const turns = createTurns({
      ...{
        consoleId: name,
        author: () => name,
        mayWait: (isUrgent) => isReachable || !isUrgent,
        onPost: () => {},
      },
      ...{ pulse, clock },
    })
    const act = (what: string, work: () => unknown = () => acted.push(name)) =>
      turns.act([what], work, what === 'pause')
    return { turns, pulse, act, read: 0 }
  })
  return {
    clock,
    acted,
    consoles,
    async deliver() {
      for (const { turns } of consoles)
        for (const { text } of turns.waiting()) log.push(JSON.parse(text) as TeamTurn)
      for (const one of consoles) {
        for (const entry of log.slice(one.read)) one.turns.read(entry)
        one.read = log.length
        one.pulse.fire()
      }
      await clock.advance(0)
    },
    disconnect() {
      isReachable = false
      for (const { pulse } of consoles) pulse.fire()
    },
  }
}

it('one console acts, and the others see who', async () => {
  const { consoles, acted, deliver } = openTeam(['Ana', 'Ben', 'Cleo'])
  const all = consoles.map(({ act }) => act('pause'))
  await deliver()
  await deliver()
  expect(await Promise.all(all)).toEqual([null, 'Ana', 'Ana'])
  // One that sees the alert later.
  expect(await consoles[1]!.act('pause')).toBe('Ana')
  expect(acted).toEqual(['Ana'])
})

it('the next console acts after 30 seconds when one dies or fails', async () => {
  const { consoles, acted, clock, deliver } = openTeam(['Ana', 'Ben', 'Cleo'])
  const ana = consoles[0]!.act('pause', () => Promise.reject(new Error('refused')))
  const rest = consoles.slice(1).map(({ act }) => act('pause'))
  ana.catch(() => {})
  await deliver()
  await clock.advance(29_000)
  expect(acted).toEqual([])
  await clock.advance(1_000)
  await deliver()
  expect(await Promise.all(rest)).toEqual([null, 'Ben'])
  expect(acted).toEqual(['Ben'])
  await expect(ana).rejects.toThrow('refused')
})

it('each console pauses when the relay is gone, and posts if it is gone for 30 seconds', async () => {
  const { consoles, acted, clock, deliver, disconnect } = openTeam(['Ana', 'Ben'])
  const ana = consoles[0]!.act('pause')
  await clock.advance(30_000)
  expect(await ana).toBeNull()
  const ben = consoles[1]!.act('pause')
  disconnect()
  expect(await ben).toBeNull()
  expect(acted.splice(0)).toEqual(['Ana', 'Ben'])
  const posts = consoles.map(({ act }) => act('post'))
  await clock.advance(20_000)
  await deliver()
  await deliver()
  expect(await Promise.all(posts)).toEqual([null, 'Ana'])
  expect(acted.splice(0)).toEqual(['Ana'])
  const later = consoles.map(({ act }) => act('later'))
  await clock.advance(30_000)
  expect(await Promise.all(later)).toEqual([null, null])
  expect(acted).toEqual(['Ana', 'Ben'])
})

it('an alert that triggers again minutes later is another one, also when the first console is gone', async () => {
  const { consoles, acted, clock, deliver } = openTeam(['Ana', 'Ben'])
  const first = consoles.map(({ act }) => act('post'))
  await deliver()
  await deliver()
  expect(await Promise.all(first)).toEqual([null, 'Ana'])
  await clock.advance(5 * 60_000)
  const again = consoles[1]!.act('post')
  await deliver()
  await clock.advance(30_000)
  expect(await again).toBeNull()
  expect(acted).toEqual(['Ana', 'Ben'])
})

it.each([10, 20])(
  'a turn that the relay repeats %d minutes later doesn’t silence the next alert',
  async (minutes) => {
    const { consoles, acted, clock, deliver } = openTeam(['Ana', 'Ben'])
    const [, ben] = consoles
    const first = consoles.map(({ act }) => act('post'))
    await deliver()
    await deliver()
    await Promise.all(first)
    await clock.advance(minutes * 60_000)
    // The log is read from its start again.
    ben!.read = 0
    const again = ben!.act('post')
    await deliver()
    await clock.advance(61_000)
    expect(await again).toBeNull()
    expect(acted).toEqual(['Ana', 'Ben'])
  },
)
