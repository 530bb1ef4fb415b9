import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../lib/clock.ts'
import { entryUrl } from '../lib/entry-url.ts'
import type { Log } from '../lib/log.ts'

/** By then start-up and its deferred work are done. */
export const fullCheckAfterMs = 60_000

/** Marks damage found while the database was in use. */
const markOf = (file: string) => `${file}.damaged`

/** The next start must check all of `file`. */
export const isMarkedDamaged = (file: string): boolean => existsSync(markOf(file))

export function clearDamageMark(file: string): void {
  rmSync(markOf(file), { force: true })
}

export interface FullCheckOptions {
  /** The open database, absolute. */
  file: string
  clock: Pick<Clock, 'after'>
  log: Log
  /** Receives SQLite's words. The next start sets the file aside. */
  onDamage: (problems: string[]) => void
}

/**
 * Checks a large database in full, a minute from now, in its own thread: one table can take seconds and can't
 * be interrupted. Damage goes to the log and `onDamage`, and marks the file for the next start. Returns its
 * cancel, which doesn't wait for a running check.
 */
export function scheduleFullCheck({ file, clock, log, onDamage }: FullCheckOptions): () => void {
  let cancelled = false
  let worker: Worker | undefined

  function report(problems: string[]): void {
    if (cancelled) return
    if (problems.length === 0) return log.info('Large database checked in full', { file: basename(file) })
    log.error('Damage found in a database in use', { file: basename(file), problems })
    try {
      writeFileSync(markOf(file), '', { mode: 0o600 })
    } catch (error) {
      log.warn('Could not mark the damage for the next start', { file: basename(file), error })
    }
    onDamage(problems)
  }

  const cancelTimer = clock.after(fullCheckAfterMs, () => {
    worker = new Worker(entryUrl('check-thread'), { name: 'database check', workerData: file })
    worker.unref()
    worker.once('message', report)
    worker.once('error', (error) =>
      log.warn('Could not check a large database in full', { file: basename(file), error }),
    )
  })
  return () => {
    cancelled = true
    cancelTimer()
    void worker?.terminate()
  }
}
