import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Nice steps below the rest of the process (0 to 19). */
const niceness = 4

/**
 * Lowers the calling thread's priority, so long work delays no acknowledgement or click. Linux only:
 * elsewhere priorities belong to the process.
 */
export function yieldToOthers(): void {
  if (process.platform !== 'linux') return
  try {
    // `<process>/task/<thread>` (proc(5)).
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0) setPriority(thread, niceness)
  } catch {
    // The work runs at normal priority.
  }
}
