import type { AppUpdater } from 'electron-updater'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

const checkEveryMs = 6 * 3_600_000

/** On Windows the updater compares who signed an update with this entry of `app-update.yml`, and checks nothing without it. */
const publisher = /^publisherName:(?: *\S|\s*\n *- *\S)/m

/**
 * Whether a package may update. `config` is the text of its `app-update.yml`, null if it has none. On Linux, https is the only protection
 * of an update.
 */
export function mayUpdate(parts: {
  platform: NodeJS.Platform
  /** SWITCHBOARD_UPDATE_URL of this start. */
  feedUrl: string | undefined
  config: string | null
}): 'yes' | 'no feed' | 'unsafe feed' | 'no publisher' {
  const { platform, feedUrl, config } = parts
  if (!feedUrl && config === null) return 'no feed'
  if (feedUrl && URL.parse(feedUrl)?.protocol !== 'https:') return 'unsafe feed'
  return platform === 'win32' && !publisher.test(config ?? '') ? 'no publisher' : 'yes'
}

/** The updater's cache folder, as packages with a feed of their own name it. */
const cacheConfig = 'updaterCacheDirName: switchboard-updater\n'

/**
 * Follows `feedUrl` instead of the package's own feed. The download reads a configuration: the package's, with its publisher, or one in
 * `dataDir`.
 */
export function setFeed(
  updater: AppUpdater,
  { feedUrl, dataDir, hasConfig }: { feedUrl: string; dataDir: string; hasConfig: boolean },
): void {
  if (!hasConfig) {
    const file = join(dataDir, 'app-update.yml')
    writeFileSync(file, cacheConfig, { mode: 0o600 })
    updater.updateConfigPath = file
  }
  updater.setFeedURL({ provider: 'generic', url: feedUrl })
}

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
