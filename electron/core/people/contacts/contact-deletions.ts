import type { Phrase } from '../../../contract/phrases.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { StoreRow } from '../../../jobs/contact-store/store-types.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Undo window of a deletion, from when all of its contacts are marked. */
const deleteGraceMs = 20_000

/** Deletions of contacts while they are being marked, which can take longer than the undo window. */
export function createContactDeletions({
  outbox,
  tasks,
  deleteRows,
  clock,
  log,
}: Pick<PlatformParts, 'tasks' | 'clock' | 'log'> & {
  outbox: OutboxService
  deleteRows: (batchId: string, rows: StoreRow[]) => Promise<{ marked: number; requested: number }>
}) {
  /** Starts the undo window once all contacts are marked. Returns its end, or null when the deletion was undone. */
  function startUndoWindow(batchId: string): string | null {
    if (!outbox.hold(batchId, deleteGraceMs)) return null
    outbox.go()
    return isoTime(clock.now() + deleteGraceMs)
  }

  // A failed or cancelled deletion covers the contacts marked until then.
  tasks.onEnd(({ kind, refId }) => {
    if (kind !== 'bulk-delete' || refId === null || outbox.batch(refId)?.state !== 'filling') return
    try {
      startUndoWindow(refId)
    } catch (error) {
      log.warn('Could not start the undo window of a deletion; the next start retries', { error })
    }
  })

  const taskOf = (batchId: string) =>
    tasks.list().find(({ kind, refId }) => kind === 'bulk-delete' && refId === batchId)

  outbox.onUndo((batchId) => {
    const task = taskOf(batchId)
    if (task?.can.cancel) tasks.cancel(task)
  })

  async function reportUndone(batchId: string, { undone, lost }: { undone: number; lost: number }) {
    const task = taskOf(batchId)
    if (!task) return
    await tasks.ended(task.id)
    const { state, progress } = tasks.get(task)
    const untouched = state === 'done' ? 0 : Math.max(0, (progress.total ?? 0) - undone - lost)
    tasks.correct(task.id, { counts: { deleted: 0, broughtBack: undone, lost, untouched } })
  }

  outbox.onUndone((batchId, undone) => {
    // The task may have been dismissed meanwhile.
    reportUndone(batchId, undone).catch((error: unknown) =>
      log.warn('Could not update the task of an undone deletion', { error }),
    )
  })

  return {
    /** Begins a deletion and returns its batch. Nothing leaves before all contacts are marked. */
    begin: (title: Phrase, chosen: number) =>
      outbox.begin({ kind: 'delete', title, open: true, chosen }).batchId,
    /** Marks some contacts and returns how many. Null when the deletion was undone meanwhile; the caller then stops. */
    async mark(batchId: string, rows: StoreRow[]) {
      if (!outbox.hold(batchId, 'open')) return null
      const { marked, requested } = await deleteRows(batchId, rows)
      outbox.marked(batchId, { marked, requested })
      return marked
    },
    startUndoWindow,
    /** Finishes deletions that a crash interrupted. Call before the outbox starts. */
    start() {
      const unfinished = new Set(tasks.list().flatMap(({ endedAt, refId }) => (endedAt ? [] : (refId ?? []))))
      for (const batchId of outbox.openDeletions()) if (!unfinished.has(batchId)) startUndoWindow(batchId)
    },
  }
}
