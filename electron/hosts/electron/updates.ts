import type { AppUpdater } from 'electron-updater'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

const checkEveryMs = 6 * 3_600_000

/** True for an address that updates may come from. On Linux nothing but https vouches for them. */
export const isSafeFeed = (url: string) => URL.parse(url)?.protocol === 'https:'

/**
 * Looks for updates now and every six hours, downloads what it finds and asks once per version whether to restart into it. Nothing
 * is installed unasked. Failures are logged. Returns its stop.
 */
export function followUpdates({
  updater,
  confirmRestart,
  restart,
  clock,
  log,
}: {
  updater: AppUpdater
  confirmRestart: (version: string) => Promise<boolean>
  /** Quits in order and installs. */
  restart: () => void
  clock: Clock
  log: Log
}): () => void {
  const asked = new Set<string>()
  updater.autoInstallOnAppQuit = false
  updater.disableWebInstaller = true
  // Errors reach the log through here as well: the updater reports each to its logger.
  updater.logger = {
    debug: (message) => log.debug(message),
    info: (message) => log.debug(String(message)),
    warn: (message) => log.warn(String(message)),
    error: (message) => log.warn(String(message)),
  }
  updater.on('update-downloaded', async ({ version }) => {
    if (asked.has(version)) return
    asked.add(version)
    log.info('an update is ready', { version })
    if (await confirmRestart(version)) restart()
  })
  const check = () =>
    void updater
      .checkForUpdates()
      .then((found) => found?.downloadPromise)
      .catch(() => {})
  check()
  return clock.every(checkEveryMs, check)
}
