import { describe, expect, test } from 'vitest'
import {
  deletionNews,
  deletionText,
  leftMs,
  undoneText,
} from '../../../../renderer/src/shared/deletions/deletion-words.ts'

const until = (ms: number) => new Date(ms).toISOString()
const held = { batchId: 'b', state: 'held' as const, until: until(20_000) }

describe('a deletion that can be taken back', () => {
  test('calls deleted only what is out of the book', () => {
    expect(deletionText({ ...held, chosen: 5, marked: 5, requested: 0 }, 0, false)).toBe(
      '5 contacts deleted.',
    )
    expect(deletionText({ ...held, chosen: 5, marked: 5, requested: 2 }, 3_000, false)).toBe(
      '3 contacts deleted. 2 more on the service are being deleted: the service is asked in 17 s.',
    )
    expect(deletionText({ ...held, chosen: 1, marked: 1, requested: 1 }, 500, false)).toBe(
      '1 contact on the service is being deleted: the service is asked in 20 s.',
    )
  })

  test('says how far it is while it is being marked, and has no end then', () => {
    const marking = {
      ...held,
      state: 'marking' as const,
      until: null,
      chosen: 145_518,
      marked: 7_000,
      requested: 0,
    }
    expect(deletionText(marking, 0, false)).toBe(
      'Deleting 145,518 contacts: 7,000 marked so far. Nothing leaves before all are.',
    )
    expect(deletionText(marking, 0, true)).toBe(
      'The deletion of 145,518 contacts stands still, with 7,000 marked. Nothing leaves before all are: resume it, or undo it.',
    )
    expect(leftMs(marking, 99_999_999)).toBeNull()
    expect(leftMs(held, 20_000)).toBe(0)
  })
})

test('what is announced of a deletion changes with its state alone, not with how far it is', () => {
  const marking = { ...held, state: 'marking' as const, until: null, chosen: 12_000, marked: 0, requested: 0 }
  const begun = 'The deletion of 12,000 contacts has begun.'
  expect(deletionNews(marking, false)).toBe(begun)
  expect(deletionNews({ ...marking, marked: 7_000, requested: 3 }, false)).toBe(begun)
  expect(deletionNews(marking, true)).toBe('The deletion of 12,000 contacts stands still.')
  const whole = { ...held, chosen: 12_000, marked: 11_990, requested: 3 }
  expect(deletionNews(whole, false)).toBe('The deletion of 11,990 contacts can be undone for a few seconds.')
  expect(deletionNews({ ...whole, state: 'taking-back', until: null }, false)).toBe(
    'The deletion of 11,990 contacts is being taken back.',
  )
})

test('what came of an undo accounts for every contact of the deletion', () => {
  expect(undoneText({ undone: 145_518, lost: 0, unmarked: 0 })).toBe('145,518 contacts brought back.')
  expect(undoneText({ undone: 7_000, lost: 0, unmarked: 138_518 })).toBe(
    'The deletion of 145,518 contacts was stopped: 7,000 brought back, 138,518 untouched.',
  )
  expect(undoneText({ undone: 4, lost: 1, unmarked: 0 })).toBe(
    '4 contacts brought back. 1 could not come back: another contact has its number now.',
  )
})
