import { app } from 'electron'
import { exitCodes } from '../../lib/command-line.ts'
import type { createDisposer } from '../../lib/disposable.ts'
import type { Log } from '../../lib/log.ts'
import { endNow } from '../restart-process.ts'

/** After this the process ends by force. The core's own deadline is shorter. */
const deadlineMs = 12_000

/**
 * Delays the end of the app until everything in `running` is stopped. On `will-quit`, not `before-quit`,
 * because windows are closed by then and no page sees its core go. Exits with `process.exitCode`, by force when a thread `isStuck`.
 */
export function stopBeforeQuit(
  running: ReturnType<typeof createDisposer>,
  isStuck: () => boolean,
  log: Log,
): void {
  let isStopping = false
  app.on('will-quit', (event) => {
    event.preventDefault()
    if (isStopping) return
    isStopping = true
    const end = () => (isStuck() ? endNow() : app.exit(Number(process.exitCode ?? 0)))
    setTimeout(() => {
      process.exitCode ||= exitCodes.failed
      log.error('The console did not stop in time; acknowledged data is kept')
      end()
    }, deadlineMs).unref()
    running
      .dispose()
      .catch((error: unknown) => {
        process.exitCode ||= exitCodes.failed
        log.error('The console did not stop cleanly; acknowledged data is kept', { error })
      })
      .finally(() => {
        log.info('Stopped')
        end()
      })
  })
}

/**
 * Quits at each signal. Electron's handler lets the second signal kill, and Ctrl+C arrives twice: from the
 * terminal and from the launcher. Call it once the app is ready, because Electron overwrites earlier
 * handlers.
 */
export function quitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit())
}
