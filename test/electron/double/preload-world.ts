import type { Codec } from './codec.ts'

/** From the preload's world to Node. */
export type FromPreload =
  | { kind: 'ipc'; channel: string; data: string }
  | { kind: 'port-message'; port: number; data: string }
  | { kind: 'port-close'; port: number }
  | { kind: 'preload-error'; message: string; stack: string }
  | { kind: 'problem'; text: string }
  | { kind: 'used'; name: string }

/** From Node to the preload's world. */
export type ToPreload =
  | { kind: 'ipc'; channel: string; data: string; ports: number[] }
  | { kind: 'port-message'; port: number; data: string }
  | { kind: 'port-close'; port: number }

/** What the preload’s world is created with. */
export interface PreloadWorldConfig {
  /** Name of the channel between the page’s two worlds, unknown to the page. */
  secret: string
  /** Name of the function that Chromium gives to this world only and that leads to Node. */
  binding: string
  /** Where Node’s messages arrive, as a property of this world’s global object. */
  inbox: string
  /** Origins of the app’s scheme, and their stand-ins in this Chromium. */
  origins: { from: string; to: string }[]
  platform: string
  versions: Record<string, string>
}

/**
 * Turns an isolated world into one for a sandboxed preload: `require` for the few modules that Electron documents (sandbox.md),
 * `electron` with the few members below, no Node. Using a missing part throws with its name. Sent into the page as source, so it uses
 * nothing from outside.
 */
export function preloadWorld(
  config: PreloadWorldConfig,
  createCodec: () => Codec,
  preload: (
    require: unknown,
    process: unknown,
    exports: unknown,
    module: unknown,
    Buffer: unknown,
    global: unknown,
    setImmediate: unknown,
    clearImmediate: unknown,
  ) => void,
): void {
  // Frames below the main one have no preload: nodeIntegrationInSubFrames is off.
  if (window.parent !== window) return
  const codec = createCodec()
  const inWorld = globalThis as unknown as Record<string, unknown>
  const toNode = inWorld[config.binding] as (text: string) => void
  const tell = (message: FromPreload) => toNode(JSON.stringify(message))
  const originOf = (origin: string) => config.origins.find(({ from }) => from === origin)?.to ?? origin

  const loud = <T extends object>(name: string, target: T): T =>
    new Proxy(target, {
      get(object, key) {
        if (typeof key === 'string') tell({ kind: 'used', name: `${name}.${key}` })
        if (typeof key === 'string' && !(key in object)) {
          const text = `The Electron double has no ${name}.${key} in a preload`
          tell({ kind: 'problem', text })
          throw new Error(text)
        }
        return Reflect.get(object, key) as unknown
      },
    })

  // The page’s address differs from the app’s scheme here, and a preload targets the latter.
  const post = window.postMessage.bind(window) as (
    message: unknown,
    origin: string,
    transfer?: Transferable[],
  ) => void
  window.postMessage = ((message: unknown, origin: string, transfer?: Transferable[]) =>
    post(message, originOf(origin), transfer)) as typeof window.postMessage

  type Listener = (...args: unknown[]) => void
  class Emitter {
    #listeners = new Map<string, { listener: Listener; once: boolean }[]>()
    #add(name: string, listener: Listener, once: boolean): this {
      this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), { listener, once }])
      return this
    }
    on(name: string, listener: Listener): this {
      return this.#add(name, listener, false)
    }
    once(name: string, listener: Listener): this {
      return this.#add(name, listener, true)
    }
    off(name: string, listener: Listener): this {
      this.#listeners.set(
        name,
        (this.#listeners.get(name) ?? []).filter((each) => each.listener !== listener),
      )
      return this
    }
    emit(name: string, ...args: unknown[]): boolean {
      const present = this.#listeners.get(name) ?? []
      for (const { listener, once } of present) {
        if (once) this.off(name, listener)
        listener(...args)
      }
      return present.length > 0
    }
  }

  const received = new Emitter()
  const ports = new Map<number, MessagePort>()

  /** A port of the page whose far end is in Node. */
  function openPort(id: number): MessagePort {
    const { port1: near, port2: far } = new MessageChannel()
    ports.set(id, near)
    near.onmessage = (event) => {
      try {
        if (event.ports.length > 0) throw new Error('The Electron double carries no ports over a port')
        tell({ kind: 'port-message', port: id, data: codec.encode(event.data) })
      } catch (error) {
        tell({ kind: 'problem', text: (error as Error).message })
      }
    }
    near.addEventListener('close', () => {
      ports.delete(id)
      tell({ kind: 'port-close', port: id })
    })
    return far
  }

  Object.defineProperty(inWorld, config.inbox, {
    value(text: string): void {
      const message = JSON.parse(text) as ToPreload
      if (message.kind === 'ipc') {
        const args = codec.decode(message.data) as unknown[]
        received.emit(
          message.channel,
          loud('IpcRendererEvent', { sender: ipcRenderer, senderId: 0, ports: message.ports.map(openPort) }),
          ...args,
        )
      } else if (message.kind === 'port-message')
        ports.get(message.port)?.postMessage(codec.decode(message.data))
      else {
        ports.get(message.port)?.close()
        ports.delete(message.port)
      }
    },
  })

  const ipcRenderer: object = loud('IpcRenderer', {
    send(channel: string, ...args: unknown[]): void {
      tell({ kind: 'ipc', channel, data: codec.encode(args) })
    },
    on(channel: string, listener: Listener) {
      received.on(channel, listener)
      return ipcRenderer
    },
    once(channel: string, listener: Listener) {
      received.once(channel, listener)
      return ipcRenderer
    },
    off(channel: string, listener: Listener) {
      received.off(channel, listener)
      return ipcRenderer
    },
  })

  const functions = new Map<number, Listener>()
  let lastId = 0
  const toPage = (detail: unknown) =>
    document.dispatchEvent(new CustomEvent(`${config.secret}:to-page`, { detail }))

  function describe(value: unknown): unknown {
    if (typeof value === 'function') {
      functions.set(++lastId, value as Listener)
      return { kind: 'function', id: lastId }
    }
    if (typeof value === 'symbol') return { kind: 'value', value: undefined }
    if (Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]') {
      const members = Object.entries(value as object).map(([key, member]) => [key, describe(member)])
      return { kind: Array.isArray(value) ? 'array' : 'object', members }
    }
    return { kind: 'value', value: structuredClone(value) }
  }

  document.addEventListener(`${config.secret}:to-preload`, (event) => {
    const { id, args } = (event as CustomEvent<{ id: number; args: unknown[] }>).detail
    try {
      const value: unknown = functions.get(id)!(...args) as unknown
      if (!(value instanceof Promise))
        return void toPage({ kind: 'answer', ok: true, value: structuredClone(value) })
      const promise = ++lastId
      toPage({ kind: 'answer', ok: true, promise })
      value.then(
        (result: unknown) => toPage({ kind: 'settled', promise, ok: true, value: structuredClone(result) }),
        (error: unknown) => toPage({ kind: 'settled', promise, ok: false, message: String(error) }),
      )
    } catch (error) {
      toPage({ kind: 'answer', ok: false, message: (error as Error).message })
    }
  })

  const electron = loud('electron', {
    ipcRenderer,
    contextBridge: loud('ContextBridge', {
      exposeInMainWorld(key: string, api: unknown): void {
        toPage({ kind: 'expose', key, shape: describe(api) })
      },
    }),
    crashReporter: loud('crashReporter', {}),
    nativeImage: loud('nativeImage', {}),
    webFrame: loud('webFrame', {}),
    webUtils: loud('webUtils', {}),
  })
  const setImmediate = (callback: Listener, ...args: unknown[]) => setTimeout(callback, 0, ...args)
  const clearImmediate = (id: number) => clearTimeout(id)
  const modules: Record<string, unknown> = {
    electron,
    events: Object.assign(Emitter, { EventEmitter: Emitter }),
    timers: { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate },
    url: { URL, URLSearchParams },
  }
  const require = (name: string): unknown => {
    const found = modules[name === 'node:electron' ? name : name.replace(/^node:/, '')]
    if (found === undefined) throw new Error(`module not found: ${name}`)
    return found
  }
  const process = loud('process', {
    type: 'renderer',
    sandboxed: true,
    contextIsolated: true,
    isMainFrame: true,
    platform: config.platform,
    versions: config.versions,
    env: {},
    argv: [],
  })
  const Buffer = loud('Buffer', {})
  try {
    const module = { exports: {} }
    preload.call(
      undefined,
      require,
      process,
      module.exports,
      module,
      Buffer,
      globalThis,
      setImmediate,
      clearImmediate,
    )
  } catch (error) {
    const { message, stack } = error as Error
    tell({ kind: 'preload-error', message, stack: stack ?? '' })
  }
}
