import { app } from 'electron'
import type { createDisposer } from '../../lib/disposable.ts'
import type { Log } from '../../lib/log.ts'
import { exitCodes } from '../start-failure.ts'

/** After this the process ends whatever still runs, milliseconds. The core's own deadline is shorter. */
const deadlineMs = 12_000

/**
 * Holds back the end of the app until everything in `running` is stopped. It listens to `will-quit`, not `before-quit`:
 * by then the windows are closed, so no page sees its core go. The exit code is `process.exitCode`.
 */
export function stopBeforeQuit(running: ReturnType<typeof createDisposer>, log: Log): void {
  let isStopping = false
  app.on('will-quit', (event) => {
    event.preventDefault()
    if (isStopping) return
    isStopping = true
    const end = () => app.exit(Number(process.exitCode ?? 0))
    setTimeout(() => {
      process.exitCode ||= exitCodes.failed
      log.error('the console did not stop in time; what it acknowledged is kept')
      end()
    }, deadlineMs).unref()
    running
      .dispose()
      .catch((error: unknown) => {
        process.exitCode ||= exitCodes.failed
        log.error('the console did not stop cleanly; what it acknowledged is kept', { error })
      })
      .finally(() => {
        log.info('stopped')
        end()
      })
  })
}

/**
 * Quits at each signal. Electron's own handler quits at the first and lets the second kill; Ctrl-C in a terminal reaches this
 * process twice, from the terminal and from the program that started it. Call it once the app is ready: Electron installs its
 * own before that, over anything set earlier.
 */
export function quitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit())
}
