import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHoldsRepository, type OptOut } from '#electron/core/people/dnc/holds.repository.ts'
import { unverifiedMax } from '#electron/core/people/dnc/team-holds.ts'
import {
  messageDigest,
  readPosted,
  signed,
  type TeamHold,
  textOf,
} from '#electron/core/people/dnc/team-entries.ts'
import { createTeamRepository } from '#electron/core/people/dnc/team.repository.ts'
import { openDatabase } from '#electron/database/open.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

const digits = 14155550101
const key = 'k'.repeat(43)

function open() {
  const { db } = openDatabase({ file: join(tempFolder(), 'state.db'), schema: 'state', log: quietLog })
  const holds = createHoldsRepository(db, () => null)
  const team = createTeamRepository(db)
  const list = () => holds.list('active', 100).items
  return {
    holds,
    team,
    list,
    stop: (seq: number, messageId: string | null = null, of: Partial<OptOut> = {}) =>
      holds.takeOptOuts(
        [
          {
            ...{ sign: 'keyword', seq, at: seq, firstSeq: seq, messageId, number: `+${digits}`, others: [] },
            ...{ content: 'STOP', receivedMs: seq },
            ...of,
          },
        ],
        seq,
      ),
    take: (...posted: string[]) =>
      holds.takeTeam(
        posted.flatMap((one) => readPosted(one, key) ?? []),
        { seq: 1, last: 'last', skipped: 0 },
        9,
      ),
    waiting: () => team.waiting(100).map(({ text }) => text),
    /** What it would post to another relay. */
    postedAgain() {
      team.startOver('other')
      return team.waiting(100).map(({ text }) => text)
    },
  }
}

const ben = { author: 'Ben', atMs: 1 }
const textOfHold = (over: Partial<TeamHold> = {}) =>
  textOf({
    ...{
      kind: 'hold',
      id: 'x1',
      number: `+${digits}`,
      country: null,
      evidence: 'By Ben',
      source: 'by-hand',
      ownOnly: false,
    },
    ...ben,
    ...over,
  })
const hold = (over: Partial<TeamHold> = {}, withKey = key) => signed(textOfHold(over), withKey)
const release = (id: string) => signed(textOf({ kind: 'release', hold: id, ...ben }), key)

it('outside a team ends only the hold that is removed', () => {
  const { holds, list, stop } = open()
  holds.addImported([{ digits, evidence: 'f.csv', isShared: true }], 1)
  stop(2)
  const [, imported] = list()
  expect(imported).toMatchObject({ source: 'import', others: [] })
  holds.release(imported!.id, 3)
  expect(list()).toMatchObject([{ source: 'opt-out' }])
})

it('in a team ends the holds that were shown together, and none that came since', () => {
  const { holds, team, list, take, waiting } = open()
  team.join('Ana')
  holds.add(digits, 'By Ana', 1)
  take(hold())
  const shown = list()[0]!
  expect(shown).toMatchObject({ author: 'Ben', others: [{ evidence: 'By Ana', author: null }] })
  take(hold({ id: 'x2' }))
  const others = shown.others.map(({ id }) => id)
  holds.release(shown.id, 3, others)
  expect(list()).toMatchObject([{ author: 'Ben', others: [] }])
  expect(waiting().filter((text) => text.includes('"release"')).length).toBe(2)
})

it('knows why a colleague holds a number and who of the team removed a hold', () => {
  const { holds, team, list, take } = open()
  const other = open()
  other.team.join('Ben')
  other.stop(7, 'm')
  team.join('Ana')
  take(signed(other.waiting()[0]!, key), hold({ id: 'x2', evidence: 'By phone', atMs: 8 }))
  expect(list()).toMatchObject([
    { source: 'by-hand', author: 'Ben', shared: true },
    { source: 'opt-out', author: 'Ben', evidence: 'STOP', shared: true },
  ])
  expect(holds.active(digits, true)).toMatchObject({ author: 'Ben' })
  holds.release(list()[0]!.id, 8)
  take(release(messageDigest('m', `+${digits}`, 'STOP')))
  expect(holds.list('ended', 10).items.map(({ endedBy }) => endedBy)).toEqual(['Ana', 'Ben'])
})

it('leaves a STOP that two consoles read to the one whose entry is first in the log', () => {
  const [ana, ben] = [open(), open()]
  for (const [one, name] of [
    [ana, 'Ana'],
    [ben, 'Ben'],
  ] as const) {
    one.team.join(name)
    one.stop(7, 'm')
  }
  const log = [ana, ben].map((one) => signed(one.waiting()[0]!, key))
  for (const one of [ana, ben]) for (const entry of log) one.take(entry)
  expect(ana.list()).toMatchObject([{ author: null, exporter: null }])
  expect(ben.list()).toMatchObject([{ author: null, exporter: 'Ana' }])
  const toHandOff = () => [ana, ben].map(({ holds }) => holds.toHandOff(false, 0, 10).length)
  expect(toHandOff()).toEqual([1, 0])
  ben.team.leave()
  expect(toHandOff()).toEqual([1, 1])
})

it('enters an opt-out that only names a message once, also if only one console of the team knows its recipient', () => {
  const named = { number: null, content: 'unsubscribed' }
  const known = (seq: number) => ({ ...named, at: seq, others: ['001 415 555 0101', `+${digits}`] })
  const [ana, ben] = [open(), open()]
  ana.team.join('Ana')
  ben.team.join('Ben')
  const post = (from: typeof ana) => {
    for (const entry of from.waiting()) for (const one of [ana, ben]) one.take(signed(entry, key))
  }
  ben.stop(7, 'm', named)
  expect(ben.list()).toMatchObject([{ number: null, evidence: 'unsubscribed' }])
  post(ben)
  ana.stop(7, 'm', known(7))
  post(ana)
  const once = [{ number: `+${digits}`, evidence: 'unsubscribed' }]
  for (const one of [ana, ben]) expect(one.list()).toMatchObject(once)
  // Its report comes.
  ben.stop(7, 'm', known(9))
  post(ben)
  for (const one of [ana, ben]) expect(one.list()).toMatchObject(once)
  // Removed by hand, and reported again.
  ana.holds.release(ana.list()[0]!.id, 10)
  post(ana)
  for (const one of [ana, ben]) one.stop(7, 'm', known(11))
  for (const one of [ana, ben]) expect(one.list()).toEqual([])
})

it('hands off an own STOP that an earlier name shared, after leaving and joining again', () => {
  const { team, stop, take, waiting, holds } = open()
  team.join('Ana')
  stop(7, 'm')
  const posted = signed(waiting()[0]!, key)
  take(posted)
  team.leave()
  team.join('Anna')
  take(posted)
  expect(holds.toHandOff(false, 0, 10)).toMatchObject([{ author: null, exporter: null }])
})

it('holds for all when a file is imported again in which the number is no longer shared', () => {
  const { holds } = open()
  const importAt = (startMs: number, isShared: boolean) =>
    holds.addImported([{ digits, evidence: 'f.csv: STOP', isShared }], startMs)
  importAt(1, true)
  expect(holds.active(digits, false)).toBeNull()
  importAt(2, false)
  expect(holds.active(digits, false)).not.toBeNull()
  expect(importAt(3, true)).toEqual([null])
})

it.each(['ZZ', 'us', '__', 'to'])(
  'reads a hold with the unknown country %s as one without a country',
  (country) => {
    const { holds, team, list, take } = open()
    team.join('Ana')
    take(hold({ id: 'x0', country, number: '4155550102' }), hold())
    expect(list().length).toBe(2)
    expect(holds.active(digits, true)).not.toBeNull()
  },
)

it.each([false, true])('holds again on a STOP after a removal (in a team: %s)', (isTeam) => {
  const { holds, team, list, stop } = open()
  if (isTeam) team.join('Ana')
  for (const [seq, messageId] of [null, null, 'm', 'm'].entries()) {
    stop(seq + 1, messageId)
    expect(list().length).toBe(1)
    holds.release(list()[0]!.id, 3)
  }
  // Colleagues may have removed it before this computer reads the message.
  stop(9, 'm2')
  expect(list().length).toBe(1)
})

it('holds no message that a colleague held and removed before it is read here, but does when it is repeated', () => {
  const { holds, team, list, stop, take } = open()
  const other = open()
  other.team.join('Ben')
  other.stop(7, 'm')
  team.join('Ana')
  take(signed(other.waiting()[0]!, key))
  stop(3, 'm')
  expect(list()).toMatchObject([{ author: 'Ben', eventSeq: 3 }])
  holds.release(list()[0]!.id, 4)
  stop(5, 'm')
  expect(list()).toMatchObject([{ author: null, eventSeq: 5 }])
})

it('holds on a STOP after leaving the team, also when a colleague then removes an older hold', () => {
  const { holds, team, stop, take } = open()
  team.join('Ana')
  take(hold())
  team.leave()
  stop(1, 'm')
  team.join('Ana')
  holds.shareEarlier(0, 100, 1)
  take(hold(), release('x1'))
  expect(holds.active(digits, true)).toMatchObject({ evidence: 'STOP' })
})

it.each([true, false])('doesn’t take an erased number from the log again (kept on hold: %s)', (keepHold) => {
  const { holds, team, list, take, postedAgain } = open()
  team.join('Ana')
  holds.add(digits, 'By Ana', 1)
  take(hold())
  holds.erase(digits, keepHold, 9)
  const copies = [hold(), hold({}, 'other')]
  // Of a colleague, who knows nothing of the erasure.
  take(...copies, ...(keepHold ? [hold({ id: 'x3' })] : []))
  team.leave()
  team.join('Ana')
  take(...copies)
  expect(list()).toEqual([])
  expect(postedAgain()).toEqual([])
  expect(holds.active(digits, true) !== null).toBe(keepHold)
})

it('posts each live hold that it knows to another log, also a colleague’s or one without proof, and each removal', () => {
  const { holds, team, list, take, postedAgain } = open()
  team.join('Ana')
  take(hold(), hold({ id: 'x2' }), hold({ id: 'x3' }), release('x2'), hold({ id: 'x4' }, 'other'))
  holds.release(list().find(({ author, verified }) => author === 'Ben' && verified)!.id, 3)
  const ids = postedAgain().map((text) => {
    const entry = JSON.parse(text) as { kind: string; id?: string; hold?: string }
    return [entry.kind, entry.id ?? entry.hold]
  })
  expect(ids.sort()).toEqual([
    ['hold', 'x1'],
    ['hold', 'x4'],
    ['release', 'x2'],
    ['release', 'x3'],
  ])
  // This computer doesn't vouch for what came without proof.
  const unproven = team.waiting(100).filter(({ isProven }) => !isProven)
  expect(unproven.map(({ text }) => (JSON.parse(text) as TeamHold).id)).toEqual(['x4'])
})

it.each([1, 2, 3, 4])(
  'holds the same numbers in any order, split and repetition of the entries (seed %i)',
  (seed) => {
    const random = seededRandom(seed)
    const shuffled = <T>(from: readonly T[]): T[] => from.toSorted(() => random() - 0.5)
    const ids = Array.from({ length: 20 }, (_, at) => `h${at}`)
    // Those without proof are holds of their own.
    const holds = ids.map((id, at) => hold({ id, number: `+${digits + at}` }, random() < 0.2 ? 'other' : key))
    const removed = ids.filter(() => random() < 0.4)
    const log = [...holds, ...removed.map(release)]
    const due = holds.flatMap((one, at) =>
      removed.includes(ids[at]!) && readPosted(one, key)!.isProven ? [] : [`+${digits + at}`],
    )
    for (let console = 0; console < 3; console++) {
      const { team, list, take } = open()
      team.join('Ana')
      const heard = shuffled([...log, ...log.filter(() => random() < 0.5)])
      while (heard.length > 0) take(...heard.splice(0, 1 + Math.floor(random() * 8)))
      expect(
        list()
          .map(({ number }) => number)
          .sort(),
      ).toEqual(due)
    }
  },
)

it.each([' / ', ' or ', ' +', '/', ' & ', ', '])(
  'holds the other number of a colleague’s text, behind “%s”, when one is erased and kept on hold, and both without the hash',
  (between) => {
    const { holds, list, team, take, postedAgain } = open()
    team.join('Ana')
    holds.erase(digits, true, 1)
    const both = hold({ number: `+${digits}${between}${between.endsWith('+') ? '' : '+'}14155550102` })
    take(both)
    expect(list()).toMatchObject([{ phone: '+14155550102' }])
    expect(JSON.stringify(postedAgain())).not.toContain(String(digits))
    holds.release(holds.add(digits, 'By Ana', 2).id, 3)
    take(both)
    for (const number of [digits, 14155550102]) expect(holds.active(number, true)).not.toBeNull()
  },
)

it('takes a colleague’s hold once the hash that stood for it is removed', () => {
  const { holds, team, list, take } = open()
  team.join('Ana')
  holds.erase(digits, true, 1)
  take(hold())
  expect(list()).toEqual([])
  holds.release(holds.add(digits, 'By Ana', 2).id, 3)
  expect(team.team()).toMatchObject({ seq: 0, readMs: null })
  take(hold())
  expect(holds.active(digits, true)).toMatchObject({ evidence: 'By Ben' })
})

it('takes 10,000 holds without proof, and every one with it', () => {
  const { holds, team, list, take } = open()
  team.join('Ana')
  const posted = (at: number, withKey: string) => hold({ id: `x${at}`, number: `+${digits + at}` }, withKey)
  for (let at = 0; at < unverifiedMax; at += 1_000)
    take(...Array.from({ length: 1_000 }, (_, n) => posted(at + n, 'other')))
  take(posted(unverifiedMax, 'other'), posted(unverifiedMax + 1, key))
  expect(team.team()).toMatchObject({ skipped: 1 })
  expect(list()[0]).toMatchObject({ number: `+${digits + unverifiedMax + 1}`, verified: true })
  expect(holds.active(digits + unverifiedMax, true)).toBeNull()
})

it('lists holds by their time, page by page, not in the order they came', () => {
  const { holds, team, take } = open()
  team.join('Ana')
  holds.add(digits + 9, 'By Ana', 50)
  take(...[40, 60, 60, 10].map((atMs, at) => hold({ id: `x${at}`, number: `+${digits + at}`, atMs })))
  const found: string[] = []
  for (let before: { sinceMs: number; id: number } | undefined; ;) {
    const [row] = holds.list('active', 1, before).items
    if (!row) break
    found.push(row.number!.slice(-1))
    before = { sinceMs: Date.parse(row.since), id: row.id }
  }
  expect(found).toEqual(['3', '2', '0', '1', '4'])
})

it('is free again once it is removed, also after leaving, with more than 20 others', () => {
  const { holds, team, list, stop } = open()
  team.join('Ana')
  for (let n = 1; n <= 23; n++) stop(n)
  team.leave()
  const [top] = list()
  holds.release(
    top!.id,
    30,
    top!.others.map(({ id }) => id),
  )
  expect(holds.active(digits, true)).toBe(null)
})

it('stays when another number is removed, even if that names its hold', () => {
  const { holds, team } = open()
  team.join('Ana')
  const removed = holds.add(digits, 'one', 1)
  const other = holds.add(14155550177, 'two', 1)
  holds.release(removed.id, 3, [other.id])
  expect(holds.active(14155550177, true)).not.toBe(null)
})
