import { expect, test } from 'vitest'
import { movedBy, movesText, unmoved } from '../../../../../renderer/src/features/messages/list-moves.ts'

test('a list that stands still says nothing', () => {
  expect(movesText(movedBy(unmoved(250), { total: 250, again: 0 }))).toBeNull()
})

test('new messages push the others down: they come again, and the new ones are said to be missing', () => {
  const moves = movedBy(movedBy(unmoved(250), { total: 255, again: 5 }), { total: 262, again: 7 })
  expect(movesText(moves)).toBe('12 new messages aren’t shown in order.')
})

test('a total that stays, of a list that drops its oldest, hides nothing: what came again tells', () => {
  expect(movesText(movedBy(unmoved(5_000), { total: 5_000, again: 1 }))).toBe(
    '1 new message isn’t shown in order.',
  )
})

test('more than a page of new ones comes without any that were seen: the total tells', () => {
  expect(movesText(movedBy(unmoved(250), { total: 600, again: 0 }))).toContain('350 new messages')
})

test('a list that shrinks may have let some pass', () => {
  expect(movesText(movedBy(unmoved(250), { total: 240, again: 0 }))).toBe(
    '10 messages left the list while loading; some may be missing.',
  )
})
