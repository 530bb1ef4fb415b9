import { app, type BrowserWindow, dialog } from 'electron'
import type { Log } from '../../lib/log.ts'
import { keychainProcessName } from './electron-channel.ts'
import { offerRestart } from './refusal.ts'

/** A page that goes again within this span of its reload is not reloaded unasked, milliseconds. */
const reloadSpanMs = 60_000

/** Errors that nobody caught: written down (redacted); a thrown one ends the console in order, with a restart on offer. */
export function surviveErrors(dataDir: string, log: Log): void {
  process.on('uncaughtException', (error) => {
    log.error('an error was not handled; the console stops', { error })
    void offerRestart('Something went wrong inside the console, so it has to stop.', dataDir)
  })
  process.on('unhandledRejection', (error) => log.error('a rejection was not handled', { error }))
}

/** Chromium restarts its own processes; the log keeps that one ended. */
export function surviveChildren(log: Log): void {
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    // The keychain's client kills its process when it hangs or is not needed any longer, and logs why.
    const isMeant = reason === 'clean-exit' || (reason === 'killed' && name === keychainProcessName)
    if (!isMeant) log.error('a process of the desktop ended', { type, reason, exitCode, name })
  })
}

/**
 * Brings back a page whose process went: once by itself, at the place it showed (it is in the address), after that when asked.
 * Listener, outbox and core are elsewhere and never stop for it.
 */
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
      detail: 'Events keep arriving and nothing that was saved is lost.',
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
    log.error("the window's page ended", { reason, exitCode })
    if (performance.now() - lastReloadMs > reloadSpanMs) return reload()
    if (isAsking) return
    void ask('The page of this window ended again.', ['Reload', 'Quit']).then((response) => {
      if (response === 0) reload()
      else app.quit()
    })
  })
  contents.on('preload-error', (_event, _path, error) => log.error('the preload failed', { error }))
  window.on('unresponsive', () => {
    log.warn('the window does not respond')
    if (isAsking) return
    void ask('The page of this window does not respond.', ['Wait', 'Reload']).then((response) => {
      if (response === 0 || window.isDestroyed()) return
      // Its end counts as the first one, and that is followed by a reload.
      lastReloadMs = -Infinity
      contents.forcefullyCrashRenderer()
    })
  })
}
