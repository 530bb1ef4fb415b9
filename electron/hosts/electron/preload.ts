import { contextBridge, ipcRenderer } from 'electron'

/** The only part of the page used here; keeps the DOM out of the types. */
declare const window: {
  postMessage(message: unknown, targetOrigin: string, transfer: readonly unknown[]): void
}

/** The page's only access: asks the main process for a message port. Never exposes `ipcRenderer` or an event. */
contextBridge.exposeInMainWorld('switchboard', {
  requestPort(): void {
    ipcRenderer.send('switchboard:request-port')
  },
})

ipcRenderer.on('switchboard:port', (event) => {
  window.postMessage({ switchboard: 'port' }, 'app://console', event.ports)
})
