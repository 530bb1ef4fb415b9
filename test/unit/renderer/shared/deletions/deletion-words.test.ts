import { describe, expect, test } from 'vitest'
import {
  deletionNews,
  deletionText,
  leftMs,
  undoneText,
} from '../../../../../renderer/src/shared/deletions/deletion-words.ts'

const until = (ms: number) => new Date(ms).toISOString()
const held = { batchId: 'b', state: 'held' as const, until: until(20_000) }

describe('a deletion that can be undone', () => {
  test('counts only contacts already removed as deleted', () => {
    expect(deletionText({ ...held, chosen: 5, marked: 5, requested: 0 }, 0, false)).toBe(
      '5 contacts deleted.',
    )
    expect(deletionText({ ...held, chosen: 5, marked: 5, requested: 2 }, 3_000, false)).toBe(
      '3 contacts deleted. 2 more will be deleted at the service in 17 s.',
    )
    expect(deletionText({ ...held, chosen: 1, marked: 1, requested: 1 }, 500, false)).toBe(
      '1 contact will be deleted at the service in 20 s.',
    )
  })

  test('shows progress while contacts are marked, without a deadline', () => {
    const marking = {
      ...held,
      state: 'marking' as const,
      until: null,
      chosen: 145_518,
      marked: 7_000,
      requested: 0,
    }
    expect(deletionText(marking, 0, false)).toBe(
      'Deleting 145,518 contacts: 7,000 marked. Nothing is sent until all are.',
    )
    expect(deletionText(marking, 0, true)).toBe(
      'Deletion paused at 7,000 of 145,518 contacts. Nothing is sent until it finishes. Resume or undo.',
    )
    expect(leftMs(marking, 99_999_999)).toBeNull()
    expect(leftMs(held, 20_000)).toBe(0)
  })
})

test('is announced when its state changes, not as it progresses', () => {
  const marking = { ...held, state: 'marking' as const, until: null, chosen: 12_000, marked: 0, requested: 0 }
  const begun = 'Deletion of 12,000 contacts started.'
  expect(deletionNews(marking, false)).toBe(begun)
  expect(deletionNews({ ...marking, marked: 7_000, requested: 3 }, false)).toBe(begun)
  expect(deletionNews(marking, true)).toBe('Deletion paused.')
  const whole = { ...held, chosen: 12_000, marked: 11_990, requested: 3 }
  expect(deletionNews(whole, false)).toBe('You can undo the deletion of 11,990 contacts for a few seconds.')
  expect(deletionNews({ ...whole, state: 'undoing', until: null }, false)).toBe(
    'Undoing deletion of 11,990 contacts.',
  )
})

test('accounts for every contact after an undo', () => {
  expect(undoneText({ undone: 145_518, lost: 0, unmarked: 0 })).toBe('145,518 contacts restored.')
  expect(undoneText({ undone: 7_000, lost: 0, unmarked: 138_518 })).toBe(
    'Deletion stopped: 7,000 restored, 138,518 unchanged.',
  )
  expect(undoneText({ undone: 4, lost: 1, unmarked: 0 })).toBe(
    '4 contacts restored. 1 not restored: another contact now has the number.',
  )
})
