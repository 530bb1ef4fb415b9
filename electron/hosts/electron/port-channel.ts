import { ipcMain, MessageChannelMain, type MessagePortMain } from 'electron'
import type { MessagePort } from 'node:worker_threads'
import type { Log } from '../../lib/log.ts'
import { isTrustedFrame } from './security/trusted-frame.ts'

/**
 * Answers the window's request for a port: one end goes to the page, the other is piped to the core thread.
 * It is the only IPC message of the console; one from any other frame is dropped and logged.
 */
export function offerPorts(connect: () => MessagePort, log: Log): void {
  ipcMain.on('switchboard:request-port', (event) => {
    if (!isTrustedFrame(event.senderFrame)) {
      log.warn('a request for a port came from a frame that is not the console', { origin: event.senderFrame?.origin })
      return
    }
    const { port1, port2 } = new MessageChannelMain()
    pipePorts(port2, connect())
    event.senderFrame!.postMessage('switchboard:port', null, [port1])
  })
}

/** Carries messages both ways, undecoded; closing one end closes the other. */
function pipePorts(window: MessagePortMain, core: MessagePort): void {
  window.on('message', (event) => core.postMessage(event.data))
  core.on('message', (data: unknown) => window.postMessage(data))
  window.on('close', () => core.close())
  core.on('close', () => window.close())
  window.start()
}
