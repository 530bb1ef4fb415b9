import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../lib/clock.ts'
import { entryUrl } from '../lib/entry-url.ts'
import type { Log } from '../lib/log.ts'
import type { CheckOrder } from './check-thread.ts'

/** By then the start is over, and what it put off as well. Milliseconds. */
export const fullCheckAfterMs = 60_000

/** Lies beside a database in which a full check found damage, until a start has checked it whole. */
const markOf = (file: string) => `${file}.damaged`

/** True when a full check found damage in `file` while it was in use: the next start must look at all of it. */
export const isMarkedDamaged = (file: string): boolean => existsSync(markOf(file))

export function clearDamageMark(file: string): void {
  rmSync(markOf(file), { force: true })
}

export interface FullCheckOptions {
  /** The open database, absolute. */
  file: string
  clock: Pick<Clock, 'after'>
  log: Log
  /** Called when damage was found, with SQLite's words. The next start sets the file aside. */
  onDamage: (problems: string[]) => void
}

/**
 * Checks a large database whole, a minute from now, in a thread of its own that ends afterwards: one table can take seconds,
 * and SQLite checks it in one go. Damage goes to the log and to `onDamage`, and is remembered for the next start.
 *
 * @returns its cancel. A check under way is not waited for.
 */
export function scheduleFullCheck({ file, clock, log, onDamage }: FullCheckOptions): () => void {
  let cancelled = false
  let worker: Worker | undefined

  function told(problems: string[]): void {
    if (cancelled) return
    if (problems.length === 0) return log.info('Large database checked whole', { file: basename(file) })
    log.error('Damage found in a database in use', { file: basename(file), problems })
    try {
      writeFileSync(markOf(file), '', { mode: 0o600 })
    } catch (error) {
      log.warn('The damage could not be noted for the next start', { file: basename(file), error })
    }
    onDamage(problems)
  }

  const cancelTimer = clock.after(fullCheckAfterMs, () => {
    const order: CheckOrder = { file }
    worker = new Worker(entryUrl('check-thread'), { name: 'database check', workerData: order })
    worker.unref()
    worker.once('message', told)
    worker.once('error', (error) =>
      log.warn('A large database could not be checked whole', { file: basename(file), error }),
    )
  })
  return () => {
    cancelled = true
    cancelTimer()
    void worker?.terminate()
  }
}
