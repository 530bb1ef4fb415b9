import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Steps of niceness (POSIX `setpriority`, 0 to 19) below the rest of the process. */
const niceness = 4

/**
 * Has the calling thread stand back where others want a processor: long work then costs neither an acknowledgement nor a click. On Linux,
 * where a thread has a priority of its own; elsewhere nothing happens.
 */
export function yieldToOthers(): void {
  if (process.platform !== 'linux') return
  try {
    // `<process>/task/<thread>` (proc(5)).
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0) setPriority(thread, niceness)
  } catch {
    // Without it, the work is done all the same.
  }
}
