import { app, Menu, type MenuItemConstructorOptions, shell } from 'electron'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HostRequest } from '../../core/connection/desktop/desktop.service.ts'
import type { Log } from '../../lib/log.ts'

/** Menu actions beyond Electron's roles. */
export interface MenuActions {
  /** Shows the window and asks its page. */
  ask(request: HostRequest): void
  quit(): void
}

/** A text file shipped with the app or in the project. Null when missing. */
function shippedFile(inPackage: string, inProject = inPackage): string | null {
  const file = app.isPackaged ? join(process.resourcesPath, inPackage) : join(app.getAppPath(), inProject)
  return existsSync(file) ? file : null
}

/** The native menu. Reload and developer tools only in development. */
export function installMenu(dataDir: string, { ask, quit }: MenuActions, log: Log): void {
  const isMac = process.platform === 'darwin'
  const page = (label: string, path: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    ...(accelerator === undefined ? {} : { accelerator }),
    click: () => ask({ kind: 'page', path }),
  })
  const open = async (path: string) => {
    const problem = await shell.openPath(path)
    if (problem !== '') log.warn('the system did not open a path', { path, problem })
  }
  const settings = page(isMac ? 'Settings…' : 'Preferences', '/settings', 'CmdOrCtrl+,')
  const about = page('About Switchboard', '/settings?section=about')
  const manual = shippedFile('README.md')
  const licenses = shippedFile('THIRD_PARTY_NOTICES.txt', 'out/THIRD_PARTY_NOTICES.txt')
  const separator = { type: 'separator' } as const

  const appMenu: MenuItemConstructorOptions = {
    label: app.getName(),
    submenu: [
      about,
      separator,
      settings,
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { label: 'Quit Switchboard', accelerator: 'Cmd+Q', click: quit },
    ],
  }
  const fileMenu: MenuItemConstructorOptions = {
    label: 'File',
    submenu: [
      page('Import contacts…', '/imports'),
      separator,
      ...(isMac ? [] : [settings, separator]),
      { role: 'close', label: 'Close window', accelerator: 'CmdOrCtrl+W' },
      ...(isMac ? [] : [{ label: 'Quit', accelerator: 'Ctrl+Q', click: quit }]),
    ],
  }
  const viewMenu: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { role: 'togglefullscreen' },
      ...(app.isPackaged ? [] : [{ role: 'reload' as const }, { role: 'toggleDevTools' as const }]),
    ],
  }
  const helpMenu: MenuItemConstructorOptions = {
    role: 'help',
    label: 'Help',
    submenu: [
      { label: 'Keyboard shortcuts', click: () => ask({ kind: 'shortcuts' }) },
      ...(manual === null ? [] : [{ label: 'Documentation', click: () => void open(manual) }]),
      { label: 'Open logs folder', click: () => void open(join(dataDir, 'logs')) },
      ...(licenses === null ? [] : [{ label: 'Third-party licenses', click: () => void open(licenses) }]),
      ...(isMac ? [] : [separator, about]),
    ],
  }
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [appMenu] : []),
      fileMenu,
      { role: 'editMenu' },
      viewMenu,
      { role: 'windowMenu' },
      helpMenu,
    ]),
  )
}
