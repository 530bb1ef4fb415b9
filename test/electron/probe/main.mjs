/** A minimal app: a window with the console’s web preferences and a preload that reports what it can see. */
import { app, BrowserWindow, ipcMain, protocol, session } from 'electron'
import { fileURLToPath } from 'node:url'

app.enableSandbox()
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
])
app.setPath('userData', process.env.SWITCHBOARD_DATA_DIR)
ipcMain.on('probe', (event, report) => {
  globalThis.probeReport = {
    ...report,
    fromMainFrame: event.senderFrame.parent === null,
    origin: event.senderFrame.origin,
  }
  event.senderFrame.postMessage('answer', report.carried, [])
})
ipcMain.on('answered', (_event, carried) => {
  globalThis.probeAnswer = carried
})
app.whenReady().then(() => {
  const own = session.fromPartition('probe')
  own.protocol.handle(
    'app',
    () => new Response('<!doctype html><title>Probe</title>', { headers: { 'Content-Type': 'text/html' } }),
  )
  const window = new BrowserWindow({
    show: false,
    webPreferences: {
      preload: fileURLToPath(new URL('./preload.cjs', import.meta.url)),
      session: own,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
    },
  })
  void window.loadURL('app://console/')
})
app.on('window-all-closed', () => app.quit())
