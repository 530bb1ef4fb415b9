import { app, autoUpdater, BrowserWindow, dialog } from 'electron'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { wholeEnvironment } from '../withdrawn-secrets.ts'
import { t } from './texts.ts'
import { followUpdates, mayUpdate, setFeed } from './updates.ts'

async function confirmRestart(version: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'info',
    title: 'Switchboard',
    message: t('update.ready', { version }),
    detail: t('update.detail'),
    buttons: [t('update.restart'), t('update.later')],
    defaultId: 1,
    cancelId: 1,
  })
  return response === 0
}

/** A package's own configuration of updates; null without one. */
function packageConfig(): string | null {
  const file = join(process.resourcesPath, 'app-update.yml')
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

const refusals = {
  'unsafe feed': 'SWITCHBOARD_UPDATE_URL is not an https address, so updates are off',
  'no publisher': 'This package does not name its publisher, so updates are off',
}

/** Follows SWITCHBOARD_UPDATE_URL, else the package's feed. An unpacked app never updates. Returns its stop. */
export function installUpdates(parts: {
  feedUrl: string | undefined
  dataDir: string
  log: Log
}): () => void {
  const { feedUrl, dataDir, log } = parts
  const off = () => {}
  if (!app.isPackaged) return off
  const config = packageConfig()
  const answer = mayUpdate({ platform: process.platform, feedUrl, config })
  if (answer === 'no feed') return off
  if (answer !== 'yes') {
    log.error(refusals[answer])
    return off
  }
  let stop = off
  let isStopped = false
  const begin = async () => {
    // Loaded only where updates are on.
    const { default: electronUpdater } = await import('electron-updater')
    if (isStopped) return
    const { autoUpdater: updater } = electronUpdater
    if (feedUrl) setFeed(updater, { feedUrl, dataDir, hasConfig: config !== null })
    const restart = () => {
      if (process.platform === 'darwin') {
        // The system's updater waits until all windows are closed, but one may only hide in the tray. An update that it refuses leaves them.
        autoUpdater.once('before-quit-for-update', () => {
          for (const window of BrowserWindow.getAllWindows()) window.destroy()
        })
        return updater.quitAndInstall()
      }
      // Only after everything has stopped, or the profile's lock would stop the new version.
      app.once('quit', () => {
        // On Linux the new version inherits this environment. It must find the same secrets and data.
        if (process.platform === 'linux')
          Object.assign(process.env, wholeEnvironment(), { SWITCHBOARD_DATA_DIR: dataDir })
        updater.quitAndInstall(true, true)
      })
      app.quit()
    }
    stop = followUpdates({ updater, confirmRestart, restart, clock: systemClock, log })
  }
  begin().catch((error: unknown) => log.error('Updates are off', { error }))
  return () => {
    isStopped = true
    stop()
  }
}
