import { expect, test } from 'vitest'
import { undoNote } from '#electron/core/people/imports/undo-note.ts'

test('says how many contacts an undo removed, restored and kept', () => {
  expect(undoNote({ removed: 1_200, restored: 0, left: 0 }, 0)).toBe('1,200 contacts removed.')
  expect(undoNote({ removed: 3, restored: 1, left: 2 }, 0)).toBe(
    '3 contacts removed. 1 contact restored to the values before the import. 2 contacts kept: 2 changed since.',
  )
  expect(undoNote({ removed: 0, restored: 0, left: 1_200 }, 1_100)).toBe(
    '1,200 contacts kept: 1,100 on the service or queued for it, 100 changed since.',
  )
  expect(undoNote({ removed: 0, restored: 0, left: 1 }, 1)).toBe(
    '1 contact kept: 1 on the service or queued for it.',
  )
  expect(undoNote({ removed: 0, restored: 0, left: 0 }, 0)).toBe('There was nothing left to undo.')
})
