/** From the preload's world to Node. */
export type FromPreload =
  | { kind: 'ipc'; channel: string }
  | { kind: 'port-message'; port: number; data: unknown }
  | { kind: 'port-close'; port: number }
  | { kind: 'problem'; text: string }

/** From Node to the preload's world. */
export type ToPreload =
  | { kind: 'ipc'; channel: string; ports: number[] }
  | { kind: 'port-message'; port: number; data: unknown }
  | { kind: 'port-close'; port: number }

/** Names that a page can’t know, and the page’s origin in Electron and here. */
export interface WorldConfig {
  /** Prefix of the events between the page’s two worlds. */
  secret: string
  /** The function that Chromium gives to the preload’s world only and that leads to Node. */
  binding: string
  /** Where Node’s messages arrive, as a property of that world’s global object. */
  inbox: string
  origin: { from: string; to: string }
}

type Listener = (...args: unknown[]) => void

/**
 * The page’s half of the context bridge: it waits for what the preload exposes, functions without a result, and freezes stand-ins that
 * reach the other world as events. Runs before the page’s scripts. Sent into the page as source, like the next function, so both use
 * nothing from outside.
 */
export function mainWorld({ secret }: WorldConfig): void {
  // A page may replace these later; the bridge keeps Chromium’s own.
  const { CustomEvent: Event, document } = window
  const dispatch = EventTarget.prototype.dispatchEvent
  document.addEventListener(`${secret}:expose`, (event) => {
    const { key, names } = (event as CustomEvent<{ key: string; names: string[] }>).detail
    const stand = (name: string) => () => {
      dispatch.call(document, new Event(`${secret}:call`, { detail: { key, name } }))
    }
    const value = Object.freeze(Object.fromEntries(names.map((name) => [name, stand(name)])))
    Object.defineProperty(window, key, { value, enumerable: true })
  })
}

/** Turns an isolated world of the page’s document into one for a sandboxed preload: `electron` is all that it can require. */
export function preloadWorld(config: WorldConfig, preload: (require: unknown) => void): void {
  // Frames below the main one have no preload: nodeIntegrationInSubFrames is off.
  if (window.parent !== window) return
  const inWorld = globalThis as unknown as Record<string, (text: string) => void>
  const tell = (message: FromPreload) => inWorld[config.binding]!(JSON.stringify(message))
  const received = new Map<string, Listener>()
  const ports = new Map<number, MessagePort>()

  // The page’s address differs from the app’s scheme here, and a preload targets the latter.
  const post = window.postMessage.bind(window)
  const toPage = (message: unknown, origin: string, transfer: Transferable[]) =>
    post(message, origin === config.origin.from ? config.origin.to : origin, transfer)
  window.postMessage = toPage as typeof window.postMessage

  /** A port of the page whose far end is in Node. Only text crosses; anything else arrives as null. */
  function openPort(id: number): MessagePort {
    const { port1: near, port2: far } = new MessageChannel()
    ports.set(id, near)
    near.onmessage = ({ data }) =>
      tell({ kind: 'port-message', port: id, data: typeof data === 'string' ? data : null })
    near.addEventListener('close', () => {
      if (ports.delete(id)) tell({ kind: 'port-close', port: id })
    })
    return far
  }

  inWorld[config.inbox] = (text) => {
    const message = JSON.parse(text) as ToPreload
    if (message.kind === 'ipc') received.get(message.channel)?.({ ports: message.ports.map(openPort) })
    else if (message.kind === 'port-message') ports.get(message.port)?.postMessage(message.data)
    else {
      ports.get(message.port)?.close()
      ports.delete(message.port)
    }
  }

  const electron = {
    ipcRenderer: {
      send: (channel: string) => tell({ kind: 'ipc', channel }),
      on: (channel: string, listener: Listener) => void received.set(channel, listener),
    },
    contextBridge: {
      exposeInMainWorld(key: string, api: Record<string, Listener>): void {
        const detail = { key, names: Object.keys(api) }
        document.dispatchEvent(new CustomEvent(`${config.secret}:expose`, { detail }))
        document.addEventListener(`${config.secret}:call`, (event) => {
          const call = (event as CustomEvent<{ key: string; name: string }>).detail
          if (call.key === key) api[call.name]!()
        })
      },
    },
  }
  try {
    preload((name: string) => {
      if (name !== 'electron') throw new Error(`module not found: ${name}`)
      return electron
    })
  } catch (error) {
    tell({ kind: 'problem', text: String(error) })
  }
}
