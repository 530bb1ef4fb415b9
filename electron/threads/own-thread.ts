import { type ResourceLimits, Worker } from 'node:worker_threads'
import { type EntryName, entryUrl } from '../lib/entry-url.ts'
import type { Log } from '../lib/log.ts'
import { connectCalls, type HandedPort, type Remote, type Served } from './calls.ts'

export interface OwnThread<Calls> {
  calls: Remote<Calls>
  /** Sends a port to the thread, and more for its `onPort`. */
  hand<Handed extends HandedPort>(handed: Handed): void
  /** Whether the process stays alive for the thread, as it does at first. */
  setNeeded(isNeeded: boolean): void
  /** Resolves once the thread has ended, with the error that ended it. */
  ended: Promise<Error | null>
  /** Ends the thread without asking it. Resolves once it has ended. */
  end(): Promise<void>
}

/** Threads with much short-lived data: an import of a million rows takes a third less memory. */
export const workLimits: ResourceLimits = { maxYoungGenerationSizeMb: 24 }

/**
 * Starts a thread that serves calls. When it ends, calls reject: with `gone` if given, else with what ended it. It restarts
 * with the next need of its owner, never before; only the listener and the core, which work without being called, are
 * restarted by their owners.
 */
export function startThread<Calls extends object, Events extends object>(
  entry: EntryName | URL,
  events: Served<Events>,
  options: {
    name: string
    workerData?: unknown
    limits?: ResourceLimits
    /** Calls without an answer. */
    tells?: readonly (keyof Calls)[]
    log?: Log
    gone?: () => Error
  },
): OwnThread<Calls> {
  const { name, workerData, limits, tells = [], log, gone } = options
  const worker = new Worker(typeof entry === 'string' ? entryUrl(entry) : entry, {
    name,
    workerData,
    // Flags of the process are not for its threads: each would load again what `--require` names.
    execArgv: [],
    ...(limits ? { resourceLimits: limits } : {}),
  })
  const { calls, close } = connectCalls<Calls, Events>(worker, events, { events: tells })
  let cause: Error | null = null
  worker.on('error', (error: Error) => {
    cause = error
    log?.error(`The ${name} thread failed`, { error })
  })
  worker.on('messageerror', (error) =>
    log?.error(`Could not read a message of the ${name} thread`, { error }),
  )
  const ended = new Promise<Error | null>((resolve) =>
    worker.once('exit', (exitCode) => {
      // First, so that the owner knows why its calls reject.
      resolve(cause)
      close(gone?.() ?? cause ?? new Error(`The ${name} thread ended (exit code ${exitCode})`))
    }),
  )
  return {
    calls,
    hand: (handed) => worker.postMessage(handed, [handed.port]),
    setNeeded: (isNeeded) => (isNeeded ? worker.ref() : worker.unref()),
    ended,
    async end() {
      await worker.terminate()
      await ended
    },
  }
}
