import { app, type BrowserWindow, dialog } from 'electron'
import type { Log } from '../../lib/log.ts'
import { keychainProcessName } from './electron-channel.ts'
import { offerRestart } from './refusal.ts'
import { t } from './texts.ts'

/** A page that crashes again within this time of its reload is only reloaded when asked. */
const reloadSpanMs = 60_000

/** Logs uncaught errors (redacted). A thrown one stops the console in order and offers a restart. */
export function surviveErrors(dataDir: string, log: Log): void {
  process.on('uncaughtException', (error) => {
    log.error('Uncaught error; the console stops', { error })
    void offerRestart(t('restart.error'), dataDir)
  })
  process.on('unhandledRejection', (error) => log.error('Unhandled rejection', { error }))
}

/** Logs the end of Chromium's own processes, which it restarts. */
export function surviveChildren(log: Log): void {
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    // The keychain's client kills its process when it hangs or is idle, and logs why.
    const isExpected = reason === 'clean-exit' || (reason === 'killed' && name === keychainProcessName)
    if (!isExpected) log.error('A desktop process ended', { type, reason, exitCode, name })
  })
}

/** Reloads a crashed page once, later only when asked. Listener, outbox and core run elsewhere and don't stop. */
export function surviveRenderer(window: BrowserWindow, log: Log): void {
  const contents = window.webContents
  let lastReloadMs = -Infinity
  let isAsking = false

  async function ask(message: string, buttons: [string, string]): Promise<number> {
    isAsking = true
    const { response } = await dialog.showMessageBox(window, {
      type: 'warning',
      title: 'Switchboard',
      message,
      detail: t('crash.detail'),
      buttons,
      defaultId: 0,
      cancelId: 1,
    })
    isAsking = false
    return window.isDestroyed() ? 1 : response
  }

  function reload(): void {
    lastReloadMs = performance.now()
    contents.reload()
  }

  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    log.error('The window’s page ended', { reason, exitCode })
    if (performance.now() - lastReloadMs > reloadSpanMs) return reload()
    if (isAsking) return
    void ask(t('crash.again'), [t('roles.reload'), t('menu.quit')]).then((response) => {
      if (response === 0) reload()
      else app.quit()
    })
  })
  contents.on('preload-error', (_event, _path, error) => log.error('The preload script failed', { error }))
  window.on('unresponsive', () => {
    log.warn('The window does not respond')
    if (isAsking) return
    void ask(t('crash.unresponsive'), [t('crash.wait'), t('roles.reload')]).then((response) => {
      if (response === 0 || window.isDestroyed()) return
      // The forced crash counts as the first, which reloads.
      lastReloadMs = -Infinity
      contents.forcefullyCrashRenderer()
    })
  })
}
