import { counted } from '../../../lib/counted.ts'

const formatCount = (count: number) => count.toLocaleString('en')
const contacts = (count: number) => counted(count, 'contact')

/** Contacts processed by the undo of an import. */
export interface Undone {
  removed: number
  restored: number
  left: number
}

/**
 * Describes the result of an undo. `atService`: how many of the kept contacts are on the service or queued for
 * it; the others were changed since the import.
 */
export function undoNote({ removed, restored, left }: Undone, atService: number): string {
  const there = Math.min(atService, left)
  const reasons = [
    ...(there > 0 ? [`${formatCount(there)} on the service or queued for it`] : []),
    ...(left > there ? [`${formatCount(left - there)} changed since`] : []),
  ]
  const parts = [
    ...(removed > 0 ? [`${contacts(removed)} removed.`] : []),
    ...(restored > 0 ? [`${contacts(restored)} restored to the values before the import.`] : []),
    ...(left > 0 ? [`${contacts(left)} kept: ${reasons.join(', ')}.`] : []),
  ]
  return parts.length === 0 ? 'There was nothing left to undo.' : parts.join(' ')
}
