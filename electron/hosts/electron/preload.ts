import { contextBridge, ipcRenderer } from 'electron'

/** The only thing of the page that this program sees; the rest of the DOM is kept out of its types. */
declare const window: {
  postMessage(message: unknown, targetOrigin: string, transfer: readonly unknown[]): void
}

/**
 * The window's one door: asks the main process for a message port and hands it to the page.
 * It knows no procedure and never gives out `ipcRenderer` or an event.
 */
contextBridge.exposeInMainWorld('switchboard', {
  requestPort(): void {
    ipcRenderer.send('switchboard:request-port')
  },
})

ipcRenderer.on('switchboard:port', (event) => {
  window.postMessage({ switchboard: 'port' }, 'app://console', event.ports)
})
