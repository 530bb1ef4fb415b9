import { expect, test } from 'vitest'
import { englishText } from '#electron/contract/phrases.ts'
import { undoNote } from '#electron/core/people/imports/import-tasks.ts'

const note = (...of: Parameters<typeof undoNote>) => englishText(undoNote(...of))

test('says how many contacts an undo removed, restored and kept', () => {
  expect(note({ removed: 1_200, restored: 0, left: 0 }, 0)).toBe('1,200 removed, 0 restored, 0 kept.')
  expect(note({ removed: 3, restored: 1, left: 2 }, 0)).toBe(
    '3 removed, 1 restored, 2 kept (on the service or queued: 0, changed since: 2).',
  )
  expect(note({ removed: 0, restored: 0, left: 1_200 }, 1_100)).toMatch(
    /queued: 1,100, changed since: 100\)\.$/,
  )
  expect(note({ removed: 0, restored: 0, left: 1 }, 1)).toMatch(/queued: 1, changed since: 0\)\.$/)
  expect(note({ removed: 0, restored: 0, left: 0 }, 0)).toBe('There was nothing left to undo.')
})
