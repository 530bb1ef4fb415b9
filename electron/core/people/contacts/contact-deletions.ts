import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { BookRow } from '../../../jobs/book/book-types.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'

/** After all of a deletion is marked, so long it can be taken back. */
export const deleteGraceMs = 20_000

export interface ContactDeletions {
  /** Begins one, of which nothing leaves before it is whole. Answers its batch. */
  begin(title: string, chosen: number): string
  /** Marks some of its contacts. Answers how many; null when it was taken back meanwhile: it is to go no further. */
  mark(batchId: string, rows: BookRow[]): Promise<number | null>
  /** All of it is marked: from now on its grace time runs. Answers its end; null when it was taken back. */
  whole(batchId: string): string | null
  /** Lets those go on that a crash left while they were being marked. Before the outbox starts. */
  start(): void
}

/** Deletions of contacts while they are being marked, however long that takes. */
export function createContactDeletions({
  outbox,
  tasks,
  deleteRows,
  clock,
  log,
}: {
  outbox: OutboxService
  tasks: TasksService
  deleteRows: (batchId: string, rows: BookRow[]) => Promise<{ marked: number; requested: number }>
  clock: Clock
  log: Log
}): ContactDeletions {
  function whole(batchId: string): string | null {
    if (!outbox.hold(batchId, deleteGraceMs)) return null
    outbox.go()
    return new Date(clock.now() + deleteGraceMs).toISOString()
  }

  // One that failed or was cancelled stays as far as it came.
  tasks.onEnd(({ kind, refId }) => {
    if (kind !== 'bulk-delete' || refId === null || !outbox.batch(refId)?.isOpen) return
    try {
      whole(refId)
    } catch (error) {
      log.warn('the grace time of a deletion could not be begun; the next start does', { error })
    }
  })

  const taskOf = (batchId: string) =>
    tasks.list().find(({ kind, refId }) => kind === 'bulk-delete' && refId === batchId)

  outbox.onUndo((batchId) => {
    const task = taskOf(batchId)
    if (task?.can.cancel) tasks.cancel(task.id)
  })

  /** What came of the deletion is what came of its undo. */
  async function tellUndone(batchId: string, { undone, lost }: { undone: number; lost: number }) {
    const task = taskOf(batchId)
    if (!task) return
    await tasks.ended(task.id)
    const { state, progress } = tasks.get(task.id)
    const untouched = state === 'done' ? 0 : Math.max(0, (progress.total ?? 0) - undone - lost)
    tasks.correct(task.id, { counts: { deleted: 0, broughtBack: undone, lost, untouched } })
  }

  outbox.onUndone((batchId, undone) => {
    // Its task may have been dismissed meanwhile.
    tellUndone(batchId, undone).catch((error: unknown) =>
      log.warn('the task of a deletion could not be told that it was undone', { error }),
    )
  })

  return {
    begin: (title, chosen) => outbox.begin({ kind: 'delete', title, open: true, chosen }).batchId,
    async mark(batchId, rows) {
      if (!outbox.hold(batchId, 'open')) return null
      const { marked, requested } = await deleteRows(batchId, rows)
      outbox.marked(batchId, { marked, requested })
      return marked
    },
    whole,
    start() {
      const unfinished = new Set(tasks.list().flatMap(({ endedAt, refId }) => (endedAt ? [] : (refId ?? []))))
      for (const batchId of outbox.openDeletions()) if (!unfinished.has(batchId)) whole(batchId)
    },
  }
}
