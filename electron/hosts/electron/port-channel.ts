import {
  ipcMain,
  MessageChannelMain,
  type MessagePortMain,
  type WebContents,
  type WebFrameMain,
} from 'electron'
import type { MessagePort } from 'node:worker_threads'
import type { Log } from '../../lib/log.ts'

/** Open ports per window; beyond it the oldest closes. The page needs one, and a second while reconnecting. */
const portsPerWindow = 4

/**
 * Answers the window's request for a port and connects it to the core thread. The console's only IPC message;
 * other frames are ignored and logged.
 */
export function offerPorts(connect: () => MessagePort, log: Log): void {
  const open = new WeakMap<WebContents, Set<MessagePort>>()
  ipcMain.on('switchboard:request-port', (event) => {
    // Null when the frame is already gone (Electron docs, ipc-main-event).
    const frame = event.senderFrame
    if (frame === null || !isTrustedFrame(frame)) {
      log.warn('Refused a port to a frame that isn’t the console', {
        origin: frame?.origin ?? null,
      })
      return
    }
    const core = connect()
    const mine = open.get(event.sender) ?? new Set()
    open.set(event.sender, mine.add(core))
    core.once('close', () => mine.delete(core))
    const [oldest] = mine
    if (mine.size > portsPerWindow) oldest?.close()
    const { port1, port2 } = new MessageChannelMain()
    pipePorts(port2, core, log)
    frame.postMessage('switchboard:port', null, [port1])
  })
}

/** Carries messages both ways, undecoded. Closing one end closes the other. */
function pipePorts(window: MessagePortMain, core: MessagePort, log: Log): void {
  window.on('message', ({ data }: { data: unknown }) => {
    try {
      core.postMessage(data)
    } catch (error) {
      // The page's structured clone knows types that a thread's doesn't.
      log.warn('Closed the port of a window: its message can’t be sent on', { error })
      core.close()
    }
  })
  core.on('message', (data: unknown) => window.postMessage(data))
  window.on('close', () => core.close())
  core.on('close', () => window.close())
  window.start()
}

/** True only for the main frame of the console's page. */
function isTrustedFrame(frame: Pick<WebFrameMain, 'parent' | 'origin'>): boolean {
  return frame.parent === null && frame.origin === 'app://console'
}
