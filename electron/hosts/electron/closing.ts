import { app, type BrowserWindow, dialog, type MessageBoxOptions, powerMonitor } from 'electron'
import type { DesktopState } from '../../contract/connection/desktop.ts'
import type { Log } from '../../lib/log.ts'
import { t } from './texts.ts'

/** Work that a quit would interrupt, as sentences; null for none. */
export function interruptedWork(state: Pick<DesktopState, 'work'> | null): string | null {
  if (!state) return null
  const { tasks, requests } = state.work
  if (tasks === 0 && requests === 0) return null
  return [
    ...(tasks === 0 ? [] : [t('quit.tasks', { n: tasks })]),
    ...(requests === 0 ? [] : [t('quit.requests', { n: requests })]),
    t('quit.later'),
  ].join(' ')
}

/**
 * Asks before work or typed text is lost, but only when the operator closes or quits. Signals, the end of the
 * session and a failed core quit without a question: the operator may be away.
 */
export function createClosing(parts: {
  state: () => Promise<DesktopState | null>
  /** Whether a tray icon could bring a hidden window back. */
  hasTray: () => Promise<boolean>
  log: Log
}) {
  const { hasTray, log } = parts
  let quitting: 'no' | 'by-operator' | 'by-system' = 'no'
  let isAsking = false
  let saidNoTray = false
  app.on('before-quit', () => {
    if (quitting === 'no') quitting = 'by-system'
  })
  // The documented event can be prevented, but its type omits that. The system then waits for the app to quit.
  powerMonitor.on('shutdown', ((event: { preventDefault(): void }) => {
    event.preventDefault()
    endSession('shutdown')
  }) as () => void)

  function endSession(reason: string): void {
    log.info('The desktop session is ending', { reason })
    app.quit()
  }

  async function ask(question: MessageBoxOptions, window?: BrowserWindow): Promise<boolean> {
    const options = {
      title: 'Switchboard',
      type: 'question',
      defaultId: 1,
      cancelId: 1,
      ...question,
    } as const
    isAsking = true
    try {
      const { response } = await (window
        ? dialog.showMessageBox(window, options)
        : dialog.showMessageBox(options))
      return response === 0
    } finally {
      isAsking = false
    }
  }

  async function quit(window?: BrowserWindow): Promise<void> {
    const detail = interruptedWork(await parts.state())
    // A second click while the state was read must not ask twice.
    if (isAsking || quitting !== 'no') return
    const buttons = [t('menu.quit'), t('quit.cancel')]
    if (detail !== null && !(await ask({ message: t('quit.question'), detail, buttons }, window))) return
    quitNow()
  }

  /** Instead of hiding a window that nothing could bring back. Says so the first time. */
  async function minimize(window: BrowserWindow): Promise<void> {
    const question = {
      message: t('noTray.title'),
      detail: t('noTray.detail'),
      buttons: [t('roles.minimize'), t('menu.quit')],
      defaultId: 0,
      cancelId: 0,
    }
    const mayMinimize = saidNoTray || (await ask(question, window))
    saidNoTray = true
    if (!mayMinimize) return quit(window)
    if (!window.isDestroyed()) window.minimize()
  }

  function quitNow(): void {
    quitting = 'by-operator'
    app.quit()
  }

  return {
    /** Quits for the operator: asks first when work would be interrupted or typed text lost. */
    quit: () => void quit(),
    isQuitting: () => quitting !== 'no',
    /** Handles the closing of a new window: tray, questions, end of the session. */
    attach(window: BrowserWindow): void {
      let state: 'open' | 'closing' | 'discarding' = 'open'
      window.on('close', (event) => {
        if (quitting !== 'no' || state !== 'open') return
        event.preventDefault()
        void close()
      })
      async function close(): Promise<void> {
        const toTray = (await parts.state())?.closeToTray === true
        const isTrayShown = toTray && (await hasTray())
        if (window.isDestroyed() || isAsking) return
        if (toTray) return isTrayShown ? window.hide() : minimize(window)
        // On a Mac the app keeps running without a window, and so does the listener.
        if (process.platform !== 'darwin') return quit(window)
        state = 'closing'
        window.close()
      }
      window.webContents.on('will-prevent-unload', (event) => {
        const isWanted = quitting === 'no' ? state === 'closing' : quitting === 'by-operator'
        if (!isWanted || state === 'discarding') return event.preventDefault()
        const wasQuitting = quitting !== 'no'
        // Keep the page for now: a synchronous question here would block the main process.
        quitting = 'no'
        state = 'open'
        if (isAsking) return
        void ask(
          {
            message: t('discard.question'),
            detail: t('discard.detail'),
            buttons: [t('discard.discard'), t('discard.keep')],
          },
          window,
        ).then((discards) => {
          if (!discards || window.isDestroyed()) return
          state = 'discarding'
          if (wasQuitting) quitNow()
          else window.close()
        })
      })
      window.on('session-end', ({ reasons }) => endSession(reasons.join()))
    },
  }
}
