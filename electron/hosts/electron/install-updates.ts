import { app, BrowserWindow, dialog } from 'electron'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { t } from './texts.ts'
import { followUpdates, isSafeFeed } from './updates.ts'

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

/**
 * Follows the feed in SWITCHBOARD_UPDATE_URL, else the package's own feed, else none. Returns its stop.
 * An unpacked app never updates.
 */
export function installUpdates(feedUrl: string | undefined, log: Log): () => void {
  const off = () => {}
  if (!app.isPackaged) return off
  if (!feedUrl && !existsSync(join(process.resourcesPath, 'app-update.yml'))) return off
  if (feedUrl && !isSafeFeed(feedUrl)) {
    log.error('SWITCHBOARD_UPDATE_URL is not an https address, so updates are off')
    return off
  }
  let stop = off
  let isStopped = false
  const begin = async () => {
    // Loaded only where updates are on.
    const { default: electronUpdater } = await import('electron-updater')
    if (isStopped) return
    const { autoUpdater: updater } = electronUpdater
    if (feedUrl) updater.setFeedURL({ provider: 'generic', url: feedUrl })
    const restart = () => {
      if (process.platform === 'darwin') {
        // The system's updater waits until all windows are closed, but one may only hide in the tray.
        for (const window of BrowserWindow.getAllWindows()) window.destroy()
        return updater.quitAndInstall()
      }
      // Only after everything has stopped, or the profile's lock would stop the new version.
      app.once('quit', () => updater.quitAndInstall(true, true))
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
