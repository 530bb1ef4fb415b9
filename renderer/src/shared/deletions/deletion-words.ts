import type { UndoableDeletion } from '#contract/outbox.ts'
import { formatCount, formatCounted } from '../format/numbers.ts'
import { formatDuration, wholeSecondsUntil } from '../format/time.ts'

/** Milliseconds until a deletion can no longer be taken back, in whole seconds; null while that has not begun. */
export const leftMs = ({ until }: Pick<UndoableDeletion, 'until'>, nowMs: number): number | null =>
  until === null ? null : wholeSecondsUntil(until, nowMs)

/**
 * What has become of the contacts of a deletion until now, and what becomes of them next. `isResting`: its task was paused, or ended
 * with the console, and marks no further until it is resumed.
 */
export function deletionText(deletion: UndoableDeletion, nowMs: number, isResting: boolean): string {
  const { state, chosen, marked, requested } = deletion
  if (state === 'taking-back') return `Bringing ${formatCounted(marked, 'contact')} back…`
  if (state === 'marking' && isResting)
    return `The deletion of ${formatCounted(chosen, 'contact')} stands still, with ${formatCount(marked)} marked. Nothing leaves before all are: resume it, or undo it.`
  if (state === 'marking')
    return `Deleting ${formatCounted(chosen, 'contact')}: ${formatCount(marked)} marked so far. Nothing leaves before all are.`
  const here = marked - requested
  const gone = `${formatCounted(here, 'contact')} deleted.`
  if (requested === 0) return gone
  const when = formatDuration(leftMs(deletion, nowMs) ?? 0)
  const others = here > 0 ? `${formatCount(requested)} more` : formatCounted(requested, 'contact')
  const asked = `${others} on the service ${requested === 1 ? 'is' : 'are'} being deleted: the service is asked in ${when}.`
  return here > 0 ? `${gone} ${asked}` : asked
}

/** What is new about a deletion, as it is announced: the same until its state changes, however far it is. */
export function deletionNews({ state, chosen, marked }: UndoableDeletion, isResting: boolean): string {
  const deletionOf = (count: number) => `The deletion of ${formatCounted(count, 'contact')}`
  if (state === 'marking') return `${deletionOf(chosen)} ${isResting ? 'stands still' : 'has begun'}.`
  return state === 'taking-back'
    ? `${deletionOf(marked)} is being taken back.`
    : `${deletionOf(marked)} can be undone for a few seconds.`
}

/** What came of taking a deletion back: how many are here again, and how many are not. */
export function undoneText({
  undone,
  lost,
  unmarked,
}: {
  undone: number
  lost: number
  unmarked: number
}): string {
  const all = undone + lost + unmarked
  const back =
    unmarked > 0
      ? `The deletion of ${formatCounted(all, 'contact')} was stopped: ${formatCount(undone)} brought back, ${formatCount(unmarked)} untouched.`
      : `${formatCounted(undone, 'contact')} brought back.`
  if (lost === 0) return back
  return `${back} ${formatCount(lost)} could not come back: another contact has ${lost === 1 ? 'its' : 'their'} number now.`
}
