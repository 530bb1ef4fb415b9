import { counted } from '../../../lib/counted.ts'

const formatCount = (count: number) => count.toLocaleString('en')
const contacts = (count: number) => counted(count, 'contact')

/** Contacts that the undo of an import has looked at. */
export interface Undone {
  removed: number
  restored: number
  left: number
}

/**
 * What came of the undo of an import: what went, what is as it was before, and what stayed and why. `atService`: how many of what stayed
 * are on the service or on their way there; the rest was changed since.
 */
export function undoNote({ removed, restored, left }: Undone, atService: number): string {
  const there = Math.min(atService, left)
  const reasons = [
    ...(there > 0 ? [`${formatCount(there)} at the service or on the way there`] : []),
    ...(left > there ? [`${formatCount(left - there)} changed since`] : []),
  ]
  const parts = [
    ...(removed > 0 ? [`${contacts(removed)} removed.`] : []),
    ...(restored > 0 ? [`${contacts(restored)} put back as before the import.`] : []),
    ...(left > 0 ? [`${contacts(left)} kept: ${reasons.join(', ')}.`] : []),
  ]
  return parts.length === 0 ? 'There was nothing left to take back.' : parts.join(' ')
}
