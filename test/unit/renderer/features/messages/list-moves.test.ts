import { expect, test } from 'vitest'
import { movedBy, movesText, unmoved } from '../../../../../renderer/src/features/messages/list-moves.ts'

test('reports nothing for a list that did not change', () => {
  expect(movesText(movedBy(unmoved(250), { total: 250, again: 0 }))).toBeNull()
})

test('counts new messages by the repeats they cause', () => {
  const moves = movedBy(movedBy(unmoved(250), { total: 255, again: 5 }), { total: 262, again: 7 })
  expect(movesText(moves)).toBe('12 new messages aren’t shown in order.')
})

test('notices new messages while the total stays the same', () => {
  expect(movesText(movedBy(unmoved(5_000), { total: 5_000, again: 1 }))).toBe(
    '1 new message isn’t shown in order.',
  )
})

test('notices more than a page of new messages by the total', () => {
  expect(movesText(movedBy(unmoved(250), { total: 600, again: 0 }))).toContain('350 new messages')
})

test('warns that messages may be missing from a list that shrank', () => {
  expect(movesText(movedBy(unmoved(250), { total: 240, again: 0 }))).toBe(
    '10 messages left the list while loading; some may be missing.',
  )
})
