import { visibleText } from '../text/visible-controls.ts'

const reasons: Record<string, string> = {
  'not-started': 'listener could not start',
  closed: 'console closed',
  crashed: 'console ended unexpectedly',
  'port-taken': 'port used by another program',
  moved: 'listener moved',
  suspended: 'computer asleep',
  'not-stored': 'events could not be stored',
  switched: 'another connection in use',
  restarted: 'listener restarted',
  'unreachable-address': 'listener moved; nothing arrived at the old address',
}

/** Why the listener could not answer, in words. A reason that is not known is shown as it came. */
export function holeReason(reason: string): string {
  return Object.hasOwn(reasons, reason) ? reasons[reason]! : visibleText(reason)
}
