import { expect, it } from 'vitest'
import {
  type ConversationMarks,
  marksOf,
  mergeMarks,
  noMarks,
} from '#electron/core/live/inbox/conversation-marks.ts'
import { nextClockMs } from '#electron/core/people/team/last-writer.ts'
import { seededRandom } from '#electron/lib/random.ts'

const seeds = Array.from({ length: 20 }, (_one, seed) => seed)

/** Three people with clocks 10 minutes apart who now and then see what the others did. */
function history(seed: number) {
  const random = seededRandom(seed)
  const people = ['Ana', 'Ben', 'Cleo'].map((name, at) => ({
    name,
    aheadMs: (at - 1) * 600_000,
    marks: noMarks,
  }))
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const changes: ConversationMarks[] = []
  for (let at = 0; at < 40; at++) {
    const one = pick(people)
    if (random() < 0.3) {
      one.marks = mergeMarks(one.marks, pick(people).marks)
      continue
    }
    const atMs = 1_000_000 + at * 1_000 + one.aheadMs
    const { work, notes } = one.marks
    const by = {
      id: `${one.name}-${at}`,
      sender: '1',
      clockMs: nextClockMs([...(work ? [work] : []), ...notes], atMs),
      author: one.name,
      atMs,
    }
    const change = marksOf(
      random() < 0.5
        ? { kind: 'work', ...by, state: pick(['open', 'assigned', 'done'] as const), upTo: null }
        : {
            ...{ kind: 'note', ...by, text: random() < 0.2 ? '' : `note ${at}` },
            replaces: one.marks.notes.map(({ id }) => id),
          },
      one.name,
    )
    // It comes after all that its author had seen.
    const before = one.marks
    one.marks = mergeMarks(before, change)
    if (change.work) expect(one.marks.work).toEqual(change.work)
    else expect(one.marks.notes).toEqual(change.notes.filter(({ text }) => text !== ''))
    changes.push(change)
  }
  return { random, pick, changes }
}

it.each(seeds)('merges in any order, split and repetition to the same (seed %i)', (seed) => {
  const { random, changes } = history(seed)
  const [a, b, c] = [0, 1, 2].map(() => changes.filter(() => random() < 0.6).reduce(mergeMarks, noMarks)) as [
    ConversationMarks,
    ConversationMarks,
    ConversationMarks,
  ]
  expect(mergeMarks(a, b)).toEqual(mergeMarks(b, a))
  expect(mergeMarks(mergeMarks(a, b), c)).toEqual(mergeMarks(a, mergeMarks(b, c)))
  expect(mergeMarks(a, a)).toEqual(a)
  const all = changes.reduce(mergeMarks, noMarks)
  expect([...changes, ...changes].toReversed().reduce(mergeMarks, noMarks)).toEqual(all)
})

it.each(seeds)('loses no note that nobody replaced (seed %i)', (seed) => {
  const { changes } = history(seed)
  const replaced = new Set(changes.flatMap((change) => change.replaced))
  const left = changes
    .flatMap(({ notes }) => notes)
    .filter(({ id, text }) => text !== '' && !replaced.has(id))
  const { notes } = changes.reduce(mergeMarks, noMarks)
  expect(notes.map(({ id }) => id).sort()).toEqual(left.map(({ id }) => id).sort())
})
