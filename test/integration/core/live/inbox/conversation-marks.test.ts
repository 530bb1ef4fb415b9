import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createConversationMarks } from '#electron/core/live/inbox/conversation-marks.ts'
import { readPosted, signed } from '#electron/core/people/dnc/team-entries.ts'
import { createTeamRepository } from '#electron/core/people/dnc/team.repository.ts'
import { createSharedValues } from '#electron/core/people/team/shared-values.ts'
import { openDatabase } from '#electron/database/open.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

const key = 'k'.repeat(43)
const sender = '14155550101'

function open(author: string | null, aheadMs: number) {
  const { db } = openDatabase({ file: join(tempFolder(), 'state.db'), schema: 'state', log: quietLog })
  const clock = createFakeClock()
  const shared = createSharedValues(db, { ...clock, now: () => clock.now() + aheadMs })
  const marks = createConversationMarks(db, shared, (one) => one.replace('=national', sender))
  const team = createTeamRepository(db)
  if (author !== null) team.join(author)
  const take = (...posted: string[]) => shared.team.take(posted.flatMap((one) => readPosted(one, key) ?? []))
  return {
    ...{ marks, shared, team, take },
    /** Adds a message, and returns the last one that is done. */
    arrive(seq: number) {
      db.prepare(
        `INSERT INTO events (seq, source_seq, kind, message_id, number, content, received_ms, verdict, message_hash, key_hash)
         VALUES (?, ?, 'mo', ?, ?, 'Hi', 0, 'signed', 0, 0)`,
      ).run(seq, seq, `m-${seq}`, sender)
      db.prepare('INSERT INTO inbox_messages (sender, seq) VALUES (?, ?)').run(sender, seq)
      marks.messageAdded(sender)
      return marks.of(sender)?.doneSeq ?? null
    },
    /** What it posts, which it then reads in the log. */
    posted() {
      const entries = team.waiting(100).map(({ text }) => signed(text, key))
      take(...entries)
      return entries
    },
    mine: () => db.prepare('SELECT sender FROM conversation_marks WHERE is_mine').pluck().all(),
    shown() {
      const work = marks.of(sender)
      return [
        work && `${work.state} ${work.author ?? 'here'}`,
        ...marks.noteOn(sender).versions.map(({ value, author: who }) => `${value} ${who ?? 'here'}`),
      ]
    },
  }
}

it('merges what two people did without seeing each other, in any order, and keeps both notes', () => {
  const [ana, ben] = [open('Ana', 0), open('Ben', 1_000)]
  ana.marks.setWork(sender, 'assigned', 0)
  ana.marks.setNote(sender, 'Call at six')
  ben.marks.setWork(sender, 'done', 0)
  ben.marks.setNote(sender, 'Wants a refund')
  const [ofAna, ofBen] = [ana.posted(), ben.posted()]
  ana.take(...ofBen, ...ofBen)
  ben.take(...ofAna.toReversed(), ...ofAna)
  expect(ana.shown()).toEqual(['done Ben', 'Wants a refund Ben', 'Call at six here'])
  expect(ben.shown()).toEqual(['done here', 'Wants a refund here', 'Call at six Ana'])
  // Her clock is behind, but she had seen it.
  ana.marks.setWork(sender, 'assigned', 0)
  ben.take(...ana.posted())
  expect(ben.shown()[0]).toBe('assigned Ana')
  expect([ana.mine(), ben.mine()]).toEqual([[sender], []])
})

it('works without a team, and gives each team its own marks, and none of colleagues', () => {
  const [ana, ben, cyd] = [open(null, 0), open('Ben', -1_000), open('Cyd', 0)]
  ana.marks.setNote(sender, 'Call at six')
  expect(ana.team.hasEntries()).toBe(false)
  ana.team.join('Ana')
  while (ana.shared.team.shareEarlier(1));
  ben.marks.setNote(sender, 'Wants a refund')
  const log = [...ben.posted(), ...ana.posted()]
  ana.take(...log)
  ben.take(...log)
  expect(ben.shown()).toEqual([null, 'Call at six Ana', 'Wants a refund here'])
  ana.marks.setWork(sender, 'assigned', 0)
  // The log was restored, and nothing is posted again yet.
  ana.team.startOver('restored')
  ana.shared.team.shareAgain()
  ana.team.leave()
  ana.team.join('Bea')
  while (ana.shared.team.shareEarlier(10));
  cyd.take(...ana.team.waiting(10).map(({ text }) => signed(text, key)))
  expect(cyd.shown()).toEqual(['assigned Bea', 'Call at six Bea'])
  // The same team gets nothing twice.
  ana.take(...log)
  expect(ana.team.waiting(10)).toHaveLength(1)
})

it('takes nothing without proof, and nothing of an erased person again', () => {
  const [ana, ben] = [open('Ana', 0), open('Ben', 0)]
  ana.marks.setWork(sender, 'assigned', 0)
  ana.marks.setNote(sender, 'Call at five')
  const entries = ana.posted()
  ben.take(...entries.map((entry) => entry.replace(/^[^.]*/, 'forged')))
  expect(ben.shown()).toEqual([null])
  ben.take(...entries)
  expect(ben.shared.erasePerson(Number(sender))).toBe(2)
  ben.take(...entries)
  expect(ben.shown()).toEqual([null])
  ben.team.startOver('other')
  expect(ben.team.waiting(10)).toEqual([])
})

it('finds a conversation under the key that its sender has here', () => {
  const [ana, ben] = [open('Ana', 0), open('Ben', 0)]
  ana.marks.setWork(sender, 'assigned', 0)
  const [entry] = ana.team.waiting(1)
  ben.take(signed(entry!.text.replace(sender, '=national'), key))
  expect(ben.shown()).toEqual(['assigned Ana'])
})

it('is done once the last message that a colleague handled arrives', () => {
  const [ana, ben] = [open('Ana', 0), open('Ben', 0)]
  ana.arrive(2)
  ana.marks.setWork(sender, 'done', 2)
  ben.take(...ana.posted())
  expect([1, 2, 3].map((seq) => ben.arrive(seq))).toEqual([null, 2, 2])
})
