import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createConversationMarks } from '#electron/core/live/inbox/conversation-marks.repository.ts'
import { readPosted, signed } from '#electron/core/people/dnc/team-entries.ts'
import { createTeamRepository } from '#electron/core/people/dnc/team.repository.ts'
import { openDatabase } from '#electron/database/open.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

const key = 'k'.repeat(43)
const sender = '14155550101'
let ids = 0

function open(author: string | null) {
  const { db } = openDatabase({ file: join(tempFolder(), 'state.db'), schema: 'state', log: quietLog })
  const marks = createConversationMarks(db, (one) => one.replace('=national', sender))
  const team = createTeamRepository(db)
  if (author !== null) team.join(author)
  const by = (clockMs: number) => ({ id: `e-${++ids}`, sender, clockMs, atMs: clockMs })
  const take = (...posted: string[]) => marks.take(posted.flatMap((one) => readPosted(one, key) ?? []))
  return {
    ...{ marks, team, take },
    work: (clockMs: number, state: 'open' | 'assigned' | 'done') =>
      marks.add({ kind: 'work', ...by(clockMs), state, upTo: state === 'done' ? 'm' : null }, null),
    note: (clockMs: number, text: string) =>
      marks.add(
        { kind: 'note', ...by(clockMs), text, replaces: marks.of(sender).notes.map(({ id }) => id) },
        null,
      ),
    /** What it posts, which it then reads in the log. */
    shared() {
      const entries = team.waiting(100).map(({ text }) => signed(text, key))
      take(...entries)
      return entries
    },
    shown() {
      const { work, notes } = marks.of(sender)
      return [
        work && `${work.state} ${work.author ?? 'here'}`,
        ...notes.map(({ text, author: who }) => `${text} ${who ?? 'here'}`),
      ]
    },
  }
}

it('merges what two people did without seeing each other, in any order, and keeps both notes', () => {
  const [ana, ben] = [open('Ana'), open('Ben')]
  ana.work(1, 'assigned')
  ana.note(2, 'Call at five')
  ana.note(3, 'Call at six')
  ben.work(2, 'done')
  ben.note(4, 'Wants a refund')
  const [ofAna, ofBen] = [ana.shared(), ben.shared()]
  ana.take(...ofBen, ...ofBen)
  ben.take(...ofAna.toReversed(), ...ofAna)
  expect(ana.shown()).toEqual(['done Ben', 'Wants a refund Ben', 'Call at six here'])
  expect(ben.shown()).toEqual(['done here', 'Wants a refund here', 'Call at six Ana'])
  // Who saw both replaces both.
  ben.note(5, 'Refund at six')
  ana.take(...ben.shared())
  expect(ana.shown()).toEqual(['done Ben', 'Refund at six Ben'])
})

it('works without a team, and is shared after joining one', () => {
  const [ana, ben] = [open(null), open('Ben')]
  ana.work(1, 'assigned')
  ana.note(2, 'Call at five')
  expect(ana.shown()).toEqual(['assigned here', 'Call at five here'])
  expect(ana.team.hasEntries()).toBe(false)
  ana.team.join('Ana')
  while (ana.marks.shareEarlier(1));
  ben.take(...ana.shared())
  expect(ben.shown()).toEqual(['assigned Ana', 'Call at five Ana'])
  ana.team.leave()
  expect(ana.shown()).toEqual(['assigned here', 'Call at five here'])
})

it('gives another team its own marks under its new name, and none of colleagues', () => {
  const [ana, ben, cyd] = [open('Ana'), open('Ben'), open('Cyd')]
  ben.note(1, 'Wants a refund')
  const log = ben.shared()
  ana.note(2, 'Call at five')
  log.push(...ana.shared())
  ana.take(...log)
  ana.work(3, 'assigned')
  // The log was restored, and nothing is posted again yet.
  ana.team.startOver('restored')
  ana.marks.shareAgain()
  ana.team.leave()
  ana.team.join('Bea')
  while (ana.marks.shareEarlier(10));
  cyd.take(...ana.team.waiting(10).map(({ text }) => signed(text, key)))
  expect(cyd.shown()).toEqual(['assigned Bea', 'Call at five Bea'])
  // The same team gets nothing twice.
  ana.take(...log)
  expect(ana.team.waiting(10)).toHaveLength(1)
})

it('takes nothing without proof, and nothing of an erased person again', () => {
  const [ana, ben] = [open('Ana'), open('Ben')]
  ana.work(1, 'assigned')
  ana.note(2, 'Call at five')
  const entries = ana.shared()
  ben.take(...entries.map((entry) => entry.replace(/^[^.]*/, 'forged')))
  expect(ben.shown()).toEqual([null])
  ben.take(...entries)
  expect(ben.marks.erase(sender)).toBe(2)
  ben.take(...entries)
  expect(ben.shown()).toEqual([null])
  ben.team.startOver('other')
  expect(ben.team.waiting(10)).toEqual([])
})

it('finds a conversation under the key that its sender has here', () => {
  const [ana, ben] = [open('Ana'), open('Ben')]
  ana.work(1, 'assigned')
  const [entry] = ana.team.waiting(1)
  ben.take(signed(entry!.text.replace(sender, '=national'), key))
  expect(ben.shown()).toEqual(['assigned Ana'])
})
