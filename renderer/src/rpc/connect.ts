import { RPCLink as MessagePortLink } from '@orpc/client/message-port'
import { RPCLink as WebSocketLink } from '@orpc/client/websocket'
import { connectionHeader, wireTypes } from '#contract/wire-types.ts'
import { AccessDeniedError, type CallContext, type Transport } from './rpc.ts'

/** What the desktop host’s preload adds to the window: one function, without procedure names. */
interface SwitchboardBridge {
  /** Asks the host for a new MessagePort. It arrives as a window message `{ switchboard: 'port' }` with the port transferred. */
  requestPort(): void
}

declare global {
  interface Window {
    switchboard?: SwitchboardBridge
  }
}

const linkOptions = {
  customJsonSerializers: wireTypes,
  headers: ({ context: { connectionId } }: { context: CallContext }) =>
    connectionId ? { [connectionHeader]: connectionId } : {},
}

/** Picks the transport: the preload’s message port if there is one, else a WebSocket to the page’s origin at `/rpc`. */
export function pickTransport(page: Window): () => Promise<Transport> {
  const { switchboard } = page
  return switchboard ? () => openMessagePort(page, switchboard) : () => openWebSocket(page.location)
}

/** Time limit for the host to send a port before it is asked again, milliseconds. */
const portPatienceMs = 5_000

function openMessagePort(page: Window, bridge: SwitchboardBridge): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new Error('No port arrived.'))), portPatienceMs)
    page.addEventListener('message', onMessage)
    bridge.requestPort()

    function onMessage(event: MessageEvent<unknown>) {
      const port = event.ports[0]
      if (event.source !== page || !port || !isPortMessage(event.data)) return
      settle(() => resolve(overMessagePort(port)))
    }
    function settle(finish: () => void) {
      clearTimeout(timer)
      page.removeEventListener('message', onMessage)
      finish()
    }
  })
}

function isPortMessage(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'switchboard' in data && data.switchboard === 'port'
}

function overMessagePort(port: MessagePort): Transport {
  let open = true
  let end = () => {}
  const closed = new Promise<void>((resolve) => {
    end = () => {
      open = false
      resolve()
    }
  })
  // Chromium (122 and later) fires this when the far end closes, not for our own `close()`.
  port.addEventListener('close', end)
  const link = new MessagePortLink<CallContext>({ port, ...linkOptions })
  port.start()
  return {
    link,
    isOpen: () => open,
    closed,
    close() {
      port.close()
      end()
    },
  }
}

function openWebSocket(location: Location): Promise<Transport> {
  const url = new URL('/rpc', location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.hash = ''
  const websocket = new WebSocket(url)
  const link = new WebSocketLink<CallContext>({ websocket, ...linkOptions })
  const closed = new Promise<void>((resolve) => {
    websocket.addEventListener('close', () => resolve(), { once: true })
  })
  return new Promise((resolve, reject) => {
    const transport: Transport = {
      link,
      isOpen: () => websocket.readyState === WebSocket.OPEN,
      closed,
      close: () => websocket.close(),
    }
    websocket.addEventListener('open', () => resolve(transport), { once: true })
    void closed.then(async () => {
      // To a page, a refused upgrade looks like an absent server; only a plain request tells them apart.
      reject((await isDenied()) ? new AccessDeniedError() : new Error('The WebSocket did not open.'))
    })
  })
}

/** True when the host responds that this window is not signed in. */
async function isDenied(): Promise<boolean> {
  try {
    const { status } = await fetch('/session', { cache: 'no-store' })
    return status === 401 || status === 403
  } catch {
    return false
  }
}
