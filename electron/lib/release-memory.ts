import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from './clock.ts'

/** By then a thread has loaded its code and opened its files, and a page has loaded. */
const afterStartMs = 10_000

/**
 * Gives what the start of the calling thread left behind back to the system, once. V8 keeps it for later objects: 17 MiB of
 * the console without a connection, about 40 with the sandbox (README of the benchmarks).
 */
export function releaseMemoryAfterStart(clock = systemClock): void {
  // Chromium can freeze V8's flags; changing one then ends the process. Not tried in Electron.
  if (process.versions['electron'] !== undefined) return
  clock.after(afterStartMs, releaseMemory)
}

function releaseMemory(): void {
  // Only this flag gives access to the collection that also returns memory. Cleared at once: compiled code is kept per set of flags.
  setFlagsFromString('--expose-gc')
  try {
    const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
