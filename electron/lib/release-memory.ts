import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from './clock.ts'

/** By then a thread has loaded its code and opened its files, and a page has loaded. */
const afterStartMs = 10_000

/**
 * Returns the memory that the calling thread needed only to start, once. V8 would keep it for later objects: 17 MiB
 * without a connection, about 40 with the sandbox (README of the benchmarks).
 */
export function releaseMemoryAfterStart(clock = systemClock): void {
  // Chromium can freeze V8's flags; changing one then ends the process. Not tried in Electron.
  if (process.versions['electron'] !== undefined) return
  clock.after(afterStartMs, releaseMemory)
}

function releaseMemory(): void {
  // Only this flag gives access to the collection that also returns memory. Reset at once, because V8 reuses cached
  // code only under the flags it was compiled with.
  setFlagsFromString('--expose-gc')
  try {
    const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
