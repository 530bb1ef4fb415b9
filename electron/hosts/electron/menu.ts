import { Menu } from 'electron'

/** The native menu: standard roles only, so that copy, paste, zoom and quit work as on every desktop. */
export function installMenu(packaged: boolean): void {
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(process.platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
      { role: 'fileMenu' },
      { role: 'editMenu' },
      {
        label: 'View',
        submenu: [
          { role: 'resetZoom' },
          { role: 'zoomIn' },
          { role: 'zoomOut' },
          { role: 'togglefullscreen' },
          ...(packaged ? [] : [{ role: 'reload' as const }, { role: 'toggleDevTools' as const }]),
        ],
      },
      { role: 'windowMenu' },
    ]),
  )
}
