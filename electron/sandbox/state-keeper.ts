import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type SavedState, clearLeftovers, writeStateFile } from './state-file.ts'

/** How often the state is written while the sandbox runs, in milliseconds: what a kill may cost. */
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

/** Keeps state in the file at `path`; with an undefined path it keeps nothing and every call is done at once. */
export function createStateKeeper(options: {
  path: string | undefined
  clock: Clock
  log: Log
  /** The state at the moment of the call. */
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
