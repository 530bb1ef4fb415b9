import type { AppUpdater } from 'electron-updater'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

const checkEveryMs = 6 * 3_600_000

/** True for an allowed update address. On Linux, https is the only protection of an update. */
export const isSafeFeed = (url: string) => URL.parse(url)?.protocol === 'https:'

/**
 * Checks for updates now and every six hours, downloads them, and asks once per version whether to restart. Never installs without
 * asking. Logs failures; if the question itself fails, asks again after the next check. Returns its stop.
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
  // The updater also reports each error here, so `check` can ignore rejections.
  updater.logger = {
    debug: (message) => log.debug(message),
    info: (message) => log.debug(String(message)),
    warn: (message) => log.warn(String(message)),
    error: (message) => log.warn(String(message)),
  }
  updater.on('update-downloaded', ({ version }) => {
    if (asked.has(version)) return
    asked.add(version)
    log.info('An update is ready', { version })
    confirmRestart(version)
      .then((isConfirmed) => isConfirmed && restart())
      .catch((error: unknown) => {
        log.error('Could not offer an update', { version, error })
        asked.delete(version)
      })
  })
  const check = () =>
    void updater
      .checkForUpdates()
      .then((found) => found?.downloadPromise)
      .catch(() => {})
  check()
  return clock.every(checkEveryMs, check)
}
