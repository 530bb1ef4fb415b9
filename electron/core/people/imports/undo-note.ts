import type { Phrase } from '../../../contract/phrases.ts'

/** Contacts processed by the undo of an import. */
export interface Undone {
  removed: number
  restored: number
  left: number
}

/**
 * Describes the result of an undo. `atService`: how many of the kept contacts are on the service or queued for
 * it; the others were changed since the import. `held`: numbers that the import put on hold.
 */
export function undoNote(undone: Undone, atService: number, held = 0): Phrase {
  const first = contactsNote(undone, atService)
  return held === 0 ? first : { key: 'text.two', first, second: { key: 'undo.holds', held } }
}

function contactsNote({ removed, restored, left }: Undone, atService: number): Phrase {
  if (removed + restored + left === 0) return { key: 'undo.none' }
  if (left === 0) return { key: 'undo.done', removed, restored, left }
  const there = Math.min(atService, left)
  return { key: 'undo.kept', removed, restored, left, there, changed: left - there }
}
