import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPosted, signed, textOf } from '#electron/core/people/dnc/team-entries.ts'
import { createTeamRepository } from '#electron/core/people/dnc/team.repository.ts'
import { createOutboxRepository } from '#electron/core/people/outbox/outbox.repository.ts'
import { createTeamSends } from '#electron/core/people/templates/team-sends.ts'
import { openDatabase } from '#electron/database/open.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

const key = 'k'.repeat(43)
const day = 24 * 3_600_000

function open(author: string) {
  const { db } = openDatabase({ file: join(tempFolder(), 'state.db'), schema: 'state', log: quietLog })
  const clock = createFakeClock()
  const team = createTeamRepository(db)
  team.join(author)
  const sends = createTeamSends(db, clock)
  const outbox = createOutboxRepository(db)
  const take = (...posted: string[]) => sends.take(posted.flatMap((one) => readPosted(one, key) ?? []))
  return {
    ...{ db, clock, team, sends, take },
    /** Messages that the service accepted. */
    sent(templateId: string, from: number, count: number) {
      for (let at = from; at < from + count; at++) {
        const phone = `+${14155550000 + at}`
        const body = { templateId, channelId: 'c-1', variables: {} }
        const item = { operation: 'send-ott', name: '', phone, contactId: null, serviceId: null } as const
        const id = outbox.add('b-1', { ...item, body, afterId: null }, 'queued', clock.now())
        outbox.update(id, { state: 'done', serviceId: `m-${at}`, sentMs: clock.now(), endedMs: clock.now() })
      }
    },
    /** What it posts, which it then reads in the log. */
    shared() {
      while (sends.share());
      const entries = team.waiting(1_000).map(({ text }) => signed(text, key))
      take(...entries)
      return entries
    },
    by: (number: number) =>
      sends
        .to(14155550000 + number, { templateId: 't-1', sinceMs: 0, limit: 5 })
        .map(({ author: name }) => name),
  }
}

it('shares a send of 1,000 in few entries, each message once, and also what was sent before joining', () => {
  const ana = open('Ana')
  const ben = open('Ben')
  ana.sent('t-1', 0, 1_000)
  ana.sent('t-2', 0, 1)
  const entries = ana.shared()
  expect(entries).toHaveLength(8)
  expect(ana.shared()).toEqual([])
  ben.take(...entries, ...entries.toReversed())
  ben.take(...entries)
  expect([ben.by(0), ben.by(999), ben.by(1_000)]).toEqual([['Ana'], ['Ana'], []])
  // One's own are in the outbox.
  expect(ana.by(0)).toEqual([])
  // A relay that lost its log gets them from either.
  for (const one of [ana, ben]) {
    one.team.startOver('other')
    expect(one.team.waiting(100)).toHaveLength(8)
  }
})

it('tells another team what this computer sent, under its new name, and the same team nothing twice', () => {
  const [ana, ben, cyd] = [open('Ana'), open('Ben'), open('Cyd')]
  ana.sent('t-1', 0, 1)
  ben.sent('t-1', 1, 1)
  const ofAna = ana.shared()
  const log = [...ofAna, ...ben.shared()]
  ana.take(...log)
  ana.sent('t-1', 2, 1)
  while (ana.sends.share());
  // The log was restored, and nothing is posted again yet.
  ana.team.startOver('restored')
  ana.team.leave()
  ana.team.join('Bea')
  cyd.take(...ana.team.waiting(10).map(({ text }) => signed(text, key)))
  expect([cyd.by(0), cyd.by(1), cyd.by(2)]).toEqual([['Bea'], [], ['Bea']])
  ana.take(...log)
  expect(ana.team.waiting(10)).toHaveLength(1)
  expect([ana.by(0), ana.by(1)]).toEqual([[], ['Ben']])
})

it('keeps an erased message away, also when its entry comes again', () => {
  const [ana, ben] = [open('Ana'), open('Ben')]
  ana.sent('t-1', 0, 2)
  const entries = ana.shared()
  ben.take(...entries)
  expect([ben.sends.erase(14155550000), ana.sends.erase(14155550000)]).toEqual([1, 1])
  ben.take(...entries)
  expect([ben.by(0), ben.by(1)]).toEqual([[], ['Ana']])
})

it('forgets messages after 30 days, and takes none that are older', async () => {
  const [ana, ben] = [open('Ana'), open('Ben')]
  ana.sent('t-1', 0, 1)
  const entries = ana.shared()
  ben.take(...entries)
  // Nobody is left in these two.
  const text = { kind: 'sent', template: 't-1', channel: 'c-1', author: 'Ana' } as const
  const atMs = ben.clock.now()
  for (const [id, digits] of [['a', 14155550001] as const, ['b', 0] as const])
    ben.take(signed(textOf({ ...text, id, to: [[digits, 'm']], atMs }), key))
  ben.sends.erase(14155550001)
  await ben.clock.advance(30 * day + 1)
  ben.sends.prune()
  ben.take(...entries)
  expect(ben.by(0)).toEqual([])
  expect(ben.db.prepare('SELECT count(*) FROM team_entries').pluck().get()).toBe(0)
})

it('takes messages of a computer whose clock is days ahead as sent now', () => {
  const ben = open('Ben')
  const text = { kind: 'sent', id: 's', template: 't-1', channel: 'c-1', author: 'Ana' } as const
  const atMs = ben.clock.now() + 2 * day
  ben.take(signed(textOf({ ...text, to: [[14155550001, null]], atMs }), key))
  expect(ben.sends.to(14155550001, { templateId: null, sinceMs: 0, limit: 5 })).toMatchObject([
    { author: 'Ana', sentMs: ben.clock.now() },
  ])
})
