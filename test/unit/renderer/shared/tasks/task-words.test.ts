import { describe, expect, it } from 'vitest'
import {
  afterCancel,
  countsText,
  endText,
  etaText,
  failedStill,
  progressText,
  rateText,
  shareOf,
  taskLook,
  taskPlace,
  undoText,
} from '../../../../../renderer/src/shared/tasks/task-words.ts'
import { useTasksStore } from '../../../../../renderer/src/shared/tasks/tasks.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { aTask, ordinaryTasks } from '../../../../helpers/scripted/tasks.ts'

const rows = (done: number, total: number | null) => ({ done, total, unit: 'rows' as const })

describe('the text of a task', () => {
  it('shows progress, with and without a known end', () => {
    expect(progressText(rows(412_000, 1_000_000))).toBe('412,000 of 1,000,000 rows')
    expect(progressText(rows(412, null))).toBe('412 rows')
    expect(progressText({ done: 2_097_152, total: null, unit: 'bytes' })).toBe('2.0 MiB')
  })

  it('says “was” for an unfinished task while disconnected', () => {
    const running = { kind: 'import', counts: {}, state: 'running', endedAt: null } as const
    expect(taskLook(running, true).label).toBe('Running')
    expect(taskLook(running, false).label).toBe('Was running')
    expect(taskLook({ ...running, state: 'done', endedAt: '2026-11-22T00:00:00Z' }, false).label).toBe('Done')
  })

  it('says that cancelling an import keeps contacts only if some were imported', () => {
    expect(afterCancel({ kind: 'import', counts: { new: 0, update: 1 } })).toContain(
      'Imported contacts stay.',
    )
    expect(afterCancel({ kind: 'import', counts: { new: 0, invalid: 3 } })).toBe(
      'No contacts were imported yet.',
    )
  })

  it('says what an undone deletion restored, stopped or finished', () => {
    const stopped = {
      kind: 'bulk-delete',
      state: 'cancelled',
      counts: { deleted: 0, broughtBack: 51_000, lost: 0, untouched: 9_921 },
      endedAt: '2026-11-22T00:00:00Z',
    } as const
    expect(taskLook(stopped, true).label).toBe('Undone')
    expect(undoText(stopped)).toBe('Deletion stopped: 51,000 restored, 9,921 unchanged.')
    const whole = { ...stopped, state: 'done', counts: { ...stopped.counts, lost: 1, untouched: 0 } } as const
    expect(undoText(whole)).toBe(
      '51,000 contacts restored. 1 not restored: another contact now has the number.',
    )
    expect(undoText({ ...stopped, counts: { deleted: 12 } })).toBeNull()
  })

  it('shows no progress for a task that failed before its first step', () => {
    const progress = { done: 0, total: null, unit: 'pages' as const }
    expect(endText({ progress, state: 'failed' })).toBe('')
    expect(endText({ progress: { ...progress, done: 3 }, state: 'failed' })).toBe('3 pages')
    expect(endText({ progress, state: 'done' })).toBe('0 pages')
  })

  it('shows its rate in a readable unit', () => {
    const progress = rows(1, null)
    expect(rateText({ ratePerSecond: 86_400, progress })).toBe('86,400 rows/s')
    expect(rateText({ ratePerSecond: 0.5, progress })).toBe('30 rows/min')
    expect(rateText({ ratePerSecond: 0.002, progress })).toBe('7 rows/h')
    expect(rateText({ ratePerSecond: 0, progress })).toBeNull()
    expect(etaText({ etaMs: 100 })).toBe('1 s left')
  })

  it('lists its counts largest first, without zeros or repeats of the progress', () => {
    const counts = { rows: 16, invalid: 3, duplicateInFile: 12, duplicateInContacts: 1, new: 0 }
    expect(countsText(counts)).toBe('12 duplicates in the file, 3 rejected, 1 already in contacts')
    expect(countsText({ duplicateInFile: 1 })).toBe('1 duplicate in the file')
  })

  it('adds up only tasks with a known total', () => {
    expect(shareOf([{ progress: rows(1, 4) }, { progress: rows(3, null) }])).toBe(0.25)
    expect(shareOf([{ progress: rows(3, null) }])).toBeNull()
  })

  it('shows a failure until the same work succeeds', () => {
    const at = (minute: number) => ({ createdAt: `2026-11-21T10:0${minute}:00.000Z` })
    const failed = aTask({ id: 'fill-1', kind: 'error-code-fill', state: 'failed', ...at(1) })
    const check = aTask({ id: 'check-1', kind: 'dnc-check', subject: 'a.csv', state: 'failed', ...at(1) })
    const sync = aTask({ id: 'sync-1', kind: 'dnc-sync', state: 'done', ...at(5) })
    const before = aTask({ id: 'fill-0', kind: 'error-code-fill', state: 'done', ...at(0) })
    const idsOf = (tasks: ReturnType<typeof aTask>[]) => failedStill(tasks).map(({ id }) => id)
    expect(idsOf([sync, failed, check, before])).toEqual(['fill-1', 'check-1'])
    const again = aTask({ id: 'fill-2', kind: 'error-code-fill', state: 'done', ...at(2) })
    const other = aTask({ id: 'check-2', kind: 'dnc-check', subject: 'b.csv', state: 'done', ...at(2) })
    expect(idsOf([again, other, failed, check])).toEqual(['check-1'])
  })

  it('links to the page of its result', () => {
    expect(taskPlace({ kind: 'bulk-push', refId: 'b-1' })).toEqual({
      path: '/outbox',
      query: { batch: 'b-1' },
    })
    expect(taskPlace({ kind: 'export', refId: 'f-1' })).toBeNull()
  })
})

describe('the tasks of the connection', () => {
  it('stay on screen, marked as old, while disconnected', () => {
    const app = createRendererApp({})
    const store = app.run(useTasksStore)
    const stop = store.start()
    app.streams[0]!.onItem({ tasks: ordinaryTasks(), asOf: '2026-01-05T09:00:00.000Z' } as never)
    expect(store.running.map(({ id }) => id)).toEqual(['t-import'])
    expect(store.open).toHaveLength(2)
    app.streams[0]!.onLost?.({ code: 'DISCONNECTED', acted: 'no', data: {} })
    expect(store.state).toMatchObject({ kind: 'lost', asOf: '2026-01-05T09:00:00.000Z' })
    expect(store.byId('t-import')).not.toBeNull()
    stop()
    expect(store.tasks).toEqual([])
  })
})
