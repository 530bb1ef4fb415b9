import { app, Menu, type MenuItemConstructorOptions, shell } from 'electron'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HostRequest } from '../../core/connection/desktop/desktop.service.ts'
import type { Log } from '../../lib/log.ts'
import { roleItem, t } from './texts.ts'

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

/** Sets the native menu in the current language. Reload and developer tools only in development. */
export function installMenu(dataDir: string, { ask, quit }: MenuActions, log: Log): void {
  const isMac = process.platform === 'darwin'
  const page = (label: string, path: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    ...(accelerator === undefined ? {} : { accelerator }),
    click: () => ask({ kind: 'page', path }),
  })
  const open = async (path: string) => {
    const problem = await shell.openPath(path)
    if (problem !== '') log.warn('The system did not open a path', { path, problem })
  }
  const settings = page(t('menu.settings'), '/settings', 'CmdOrCtrl+,')
  const about = page(t('menu.about'), '/settings?section=about')
  const manual = shippedFile('README.md')
  const licenses = shippedFile('THIRD_PARTY_NOTICES.txt', 'out/THIRD_PARTY_NOTICES.txt')
  const separator = { type: 'separator' } as const
  const closeWindow = { role: 'close', label: t('menu.closeWindow'), accelerator: 'CmdOrCtrl+W' } as const

  const appMenu: MenuItemConstructorOptions = {
    label: app.getName(),
    submenu: [
      about,
      separator,
      settings,
      separator,
      roleItem('services'),
      separator,
      ...(['hide', 'hideOthers', 'unhide'] as const).map(roleItem),
      separator,
      { label: t('menu.quitApp'), accelerator: 'Cmd+Q', click: quit },
    ],
  }
  const fileMenu: MenuItemConstructorOptions = {
    label: t('menu.file'),
    submenu: [
      page(t('menu.import'), '/imports'),
      separator,
      ...(isMac ? [] : [settings, separator]),
      closeWindow,
      ...(isMac ? [] : [{ label: t('menu.quit'), accelerator: 'Ctrl+Q', click: quit }]),
    ],
  }
  const editMenu: MenuItemConstructorOptions = {
    role: 'editMenu',
    label: t('menu.edit'),
    submenu: [
      ...(['undo', 'redo'] as const).map(roleItem),
      separator,
      ...(['cut', 'copy', 'paste', 'pasteAndMatchStyle', 'delete', 'selectAll'] as const).map(roleItem),
    ],
  }
  const viewMenu: MenuItemConstructorOptions = {
    label: t('menu.view'),
    submenu: [
      ...(['resetZoom', 'zoomIn', 'zoomOut', 'togglefullscreen'] as const).map(roleItem),
      ...(app.isPackaged ? [] : (['reload', 'toggleDevTools'] as const).map(roleItem)),
    ],
  }
  const windowMenu: MenuItemConstructorOptions = {
    role: 'windowMenu',
    label: t('menu.window'),
    submenu: [
      roleItem('minimize'),
      ...(isMac ? [roleItem('zoom'), separator, roleItem('front')] : [closeWindow]),
    ],
  }
  const helpMenu: MenuItemConstructorOptions = {
    role: 'help',
    label: t('menu.help'),
    submenu: [
      { label: t('menu.shortcuts'), click: () => ask({ kind: 'shortcuts' }) },
      ...(manual === null ? [] : [{ label: t('menu.manual'), click: () => void open(manual) }]),
      { label: t('menu.logs'), click: () => void open(join(dataDir, 'logs')) },
      ...(licenses === null ? [] : [{ label: t('menu.licenses'), click: () => void open(licenses) }]),
      ...(isMac ? [] : [separator, about]),
    ],
  }
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([...(isMac ? [appMenu] : []), fileMenu, editMenu, viewMenu, windowMenu, helpMenu]),
  )
}
