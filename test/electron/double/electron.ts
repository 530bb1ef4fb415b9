/**
 * What `import … from 'electron'` gets in the double. A missing name fails when the app’s module is linked, a missing member throws when
 * read.
 */
import { app } from './app.ts'
import { belongTo } from './utility-process.ts'

export { app }
export { BrowserWindow } from './browser-window.ts'
export {
  autoUpdater,
  dialog,
  nativeTheme,
  Notification,
  powerMonitor,
  screen,
  shell,
} from './desktop-parts.ts'
export { Menu, nativeImage, Tray } from './menus.ts'
export { ipcMain } from './page-ipc.ts'
export { MessageChannelMain } from './ports.ts'
export { protocol, session } from './session.ts'
export { utilityProcess } from './utility-process.ts'

belongTo(app)
