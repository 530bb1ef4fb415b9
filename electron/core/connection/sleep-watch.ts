import type { Clock } from '../../lib/clock.ts'

const lookEveryMs = 5_000
/** A tick this late means that the machine slept or its clock was set forward. */
const sleptMs = 10_000

/** Calls `onWake` after a sleep that no host may report, by wall time: monotonic clocks may stop. Returns its stop. */
export function watchSleep(clock: Clock, onWake: () => void): () => void {
  let lastMs = clock.now()
  return clock.every(lookEveryMs, () => {
    const nowMs = clock.now()
    const slept = nowMs - lastMs > lookEveryMs + sleptMs
    lastMs = nowMs
    if (slept) onWake()
  })
}
