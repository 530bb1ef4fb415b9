import { Menu, Tray } from 'electron'
import type { HostRequest } from '../../core/connection/desktop/desktop.service.ts'
import type { DesktopState } from '../../contract/connection/desktop.ts'
import type { Status } from '../../contract/connection/status.ts'
import type { Log } from '../../lib/log.ts'
import type { CoreWatch } from './core-watch.ts'
import { hostLanguage } from '../texts.ts'
import { t } from './texts.ts'
import { trayIcon } from './tray-icon.ts'
import { trayLook } from './tray-look.ts'

/** Adds the tray icon with quick actions. On Linux it succeeds without a tray, too; see `showsTrayIcons`. */
export function installTray(parts: {
  core: CoreWatch
  showWindow: () => void
  /** Shows the window and asks its page. */
  ask: (request: HostRequest) => void
  quit: () => void
  log: Log
}): { isAvailable: boolean; remove(): void } {
  const { core, showWindow, ask, quit } = parts
  let tray: Tray
  try {
    tray = new Tray(trayIcon('offline'))
  } catch (error) {
    parts.log.info('No tray available', { error })
    return { isAvailable: false, remove: () => {} }
  }
  let status: Status | null = null
  let state: DesktopState | null = null
  let shown = ''

  function show(): void {
    if (tray.isDestroyed()) return
    const look = trayLook(status, state?.troubled)
    const sending = state?.sending ?? null
    const next = `${look.text} ${sending} ${hostLanguage()}`
    if (next === shown) return
    shown = next
    tray.setImage(trayIcon(look.state))
    tray.setToolTip(look.text)
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: look.text, enabled: false },
        { type: 'separator' },
        { label: t('tray.open'), click: showWindow },
        { label: t('tray.events'), click: () => ask({ kind: 'page', path: '/events' }) },
        ...(sending === null
          ? []
          : sending === 'on'
            ? [{ label: t('tray.pause'), click: () => core.setSending('paused') }]
            : [{ label: t('tray.resume'), click: () => core.setSending('on') }]),
        { type: 'separator' },
        { label: t('menu.quitApp'), click: quit },
      ]),
    )
  }
  core.onStatus((next) => {
    status = next
    show()
  })
  core.onState((next) => {
    state = next
    show()
  })
  // On a Mac, a click opens the menu.
  if (process.platform !== 'darwin') tray.on('click', showWindow)
  return { isAvailable: true, remove: () => tray.destroy() }
}
