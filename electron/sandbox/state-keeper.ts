import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type SavedState, clearLeftovers, writeStateFile } from './state-file.ts'

/** The most that a kill may lose. */
const saveEveryMs = 15_000

/** Writes a sandbox's state to its file, one write after the other. */
export interface StateKeeper {
  /**
   * Writes the state for the first time and then now and then. The first write claims the run's generation, so that
   * a run that is killed soon does not see its ids used again. Rejects as `save` does.
   */
  start(): Promise<void>
  /** Writes the state as it is now. Rejects with an Error that names the file when it cannot be written. */
  save(): Promise<void>
  /** Ends the regular writes; `save` still works. */
  stop(): void
}

/** Saves state to `path`, one write after the other. Does nothing without a path. */
export function createStateKeeper(options: {
  path: string | undefined
  clock: Clock
  log: Log
  snapshot(): Omit<SavedState, 'format'>
}): StateKeeper {
  const { path, clock, log, snapshot } = options
  let saving: Promise<void> = Promise.resolve()
  let cancel = () => {}

  function save(): Promise<void> {
    if (path === undefined) return Promise.resolve()
    saving = saving.catch(() => {}).then(() => writeStateFile(path, snapshot()))
    return saving
  }

  return {
    async start() {
      if (path === undefined) return
      await clearLeftovers(path)
      await save()
      cancel = clock.every(saveEveryMs, () => {
        save().catch((error: unknown) => log.error('The state file could not be written', { error }))
      })
    },
    save,
    stop: () => cancel(),
  }
}
