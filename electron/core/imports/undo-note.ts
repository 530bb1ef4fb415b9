import { counted } from '../../lib/counted.ts'

const contacts = (count: number) => counted(count, 'contact')

/** Contacts that the undo of an import has looked at. */
export interface Undone {
  removed: number
  restored: number
  left: number
}

/** What came of the undo of an import: what went, what is as it was before, and what stayed and why. */
export function undoNote({ removed, restored, left }: Undone): string {
  const parts = [
    ...(removed > 0 ? [`${contacts(removed)} removed.`] : []),
    ...(restored > 0 ? [`${contacts(restored)} put back as before the import.`] : []),
    ...(left > 0
      ? [
          `${contacts(left)} kept: ${left === 1 ? 'it is' : 'they are'} at the service or on the way there, or ${left === 1 ? 'was' : 'were'} changed since.`,
        ]
      : []),
  ]
  return parts.length === 0 ? 'There was nothing left to take back.' : parts.join(' ')
}
