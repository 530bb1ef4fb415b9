import type { UndoableDeletion } from '#contract/people/outbox.ts'
import { formatDuration, wholeSecondsUntil } from '../format/time.ts'
import { t } from './deletions.texts.ts'

/** Milliseconds left to undo a deletion, in whole seconds; null while its undo window has not begun. */
export const leftMs = ({ until }: Pick<UndoableDeletion, 'until'>, nowMs: number): number | null =>
  until === null ? null : wholeSecondsUntil(until, nowMs)

/** Progress of a deletion and what happens next. `isResting`: its task is paused or was interrupted. */
export function deletionText(deletion: UndoableDeletion, nowMs: number, isResting: boolean): string {
  const { state, chosen, marked, requested } = deletion
  if (state === 'undoing') return t('restoring', { n: marked })
  if (state === 'marking') return t(isResting ? 'paused' : 'marking', { n: chosen, marked })
  const gone = marked - requested
  const deleted = t('deleted', { n: gone })
  if (requested === 0) return deleted
  const when = formatDuration(leftMs(deletion, nowMs) ?? 0)
  return gone > 0 ? t('both', { deleted, n: requested, when }) : t('requested', { n: requested, when })
}

/** The announcement of a deletion, the same until its state changes. */
export function deletionNews({ state, chosen, marked }: UndoableDeletion, isResting: boolean): string {
  if (state === 'marking') return isResting ? t('news.paused') : t('news.started', { n: chosen })
  return t(state === 'undoing' ? 'news.undoing' : 'news.held', { n: marked })
}

/** The result of an undo, counting every contact of the deletion. */
export function undoneText({
  undone,
  lost,
  unmarked,
}: {
  undone: number
  lost: number
  unmarked: number
}): string {
  const restored =
    unmarked > 0 ? t('stopped', { restored: undone, unchanged: unmarked }) : t('restored', { n: undone })
  return lost === 0 ? restored : t('lost', { restored, n: lost })
}
