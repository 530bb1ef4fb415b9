import { EventEmitter } from 'node:events'
import { toChromium, toElectron } from './address.ts'

type Handler = (request: Request) => Response | Promise<Response>
type BeforeRequest = (details: { url: string }, answer: (response: { cancel?: boolean }) => void) => void

export const protocol = { registerSchemesAsPrivileged() {} }

/** An Electron session. Every request of its window passes it. Permissions and downloads are asked in Electron only. */
class Session extends EventEmitter {
  private readonly handlers = new Map<string, Handler>()
  private beforeRequest: BeforeRequest = (_details, answer) => answer({})
  readonly protocol = {
    handle: (scheme: string, handler: Handler) => void this.handlers.set(scheme, handler),
  }
  readonly webRequest = {
    onBeforeRequest: (listener: BeforeRequest) => void (this.beforeRequest = listener),
  }
  private readonly name: string
  constructor(name: string) {
    super()
    this.name = name
  }

  isPersistent = () => this.name.startsWith('persist:')
  resolveProxy = () => Promise.resolve('DIRECT')
  setPermissionRequestHandler() {}
  setPermissionCheckHandler() {}
  setDevicePermissionHandler() {}
  setDisplayMediaRequestHandler() {}
  setSpellCheckerEnabled() {}
  flushStorageData() {}

  /** Asks the handlers for one request of the page. Null when it is cancelled. Throws for one that leaves the app. */
  async answer(url: string, init: RequestInit): Promise<Response | null> {
    const { cancel } = await new Promise<{ cancel?: boolean }>((resolve) =>
      this.beforeRequest({ url }, resolve),
    )
    if (cancel) return null
    const handler = this.handlers.get(url.slice(0, url.indexOf(':')))
    if (!handler) throw new Error(`The Electron double has no network: ${url} was let through`)
    return handler(new Request(url, init))
  }

  /** A request of the main process. Addresses are normalised like Chromium does for a standard scheme. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.answer(toElectron(toChromium(url)), init)
    if (response === null) throw new Error('net::ERR_BLOCKED_BY_CLIENT')
    return response
  }
}
export type { Session }

const partitions = new Map<string, Session>()

function fromPartition(name: string): Session {
  const found = partitions.get(name) ?? new Session(name)
  partitions.set(name, found)
  return found
}

export const session = {
  fromPartition,
  get defaultSession() {
    return fromPartition('')
  },
}
