/** What `import … from 'electron'` gets in the double: only what the console uses. A missing name fails when the app’s module is linked. */
export { app } from './app.ts'
export * from './desktop-parts.ts'
export { MessageChannelMain } from './ports.ts'
export { ipcMain } from './preload.ts'
export { protocol, session } from './session.ts'
export { utilityProcess } from './utility-process.ts'
export { BrowserWindow } from './window.ts'
