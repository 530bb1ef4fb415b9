import { toChromium, toElectron } from './address.ts'
import { DoubleEmitter, loud, MissingInDoubleError } from './loud.ts'

type Handler = (request: Request) => Response | Promise<Response>
type RequestDetails = {
  id: number
  url: string
  method: string
  resourceType: string
  webContentsId?: number
  timestamp: number
}
type BeforeRequest = (
  details: RequestDetails,
  answer: (response: { cancel?: boolean; redirectURL?: string }) => void,
) => void

const schemes = new Set<string>()
let isReady = false

/** After that, schemes can’t be declared and sessions are available. */
export function markReady(): void {
  isReady = true
}

/** The declared schemes by name. */
export function declaredSchemes(): ReadonlySet<string> {
  return schemes
}

export const protocol = loud('Protocol', {
  registerSchemesAsPrivileged(list: { scheme: string; privileges?: Record<string, boolean> }[]): void {
    if (isReady) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    for (const { scheme, privileges = {} } of list) {
      // The https stand-in is standard, secure and fetchable: it can’t represent another declaration.
      const { standard, secure, supportFetchAPI, ...others } = privileges
      const unknown = Object.entries(others).filter(([, value]) => value)
      if (!standard || !secure || !supportFetchAPI || unknown.length > 0) {
        throw new MissingInDoubleError(
          'The Electron double knows standard, secure, fetchable schemes without further privileges only',
        )
      }
      schemes.add(scheme)
    }
  },
})

/** An Electron session. Every request of its windows passes it. */
export class Session extends DoubleEmitter {
  readonly storagePath: string | null
  readonly handlers = new Map<string, Handler>()
  beforeRequest: BeforeRequest | null = null
  permissionRequest:
    | ((contents: unknown, permission: string, answer: (granted: boolean) => void, details: object) => void)
    | null = null
  permissionCheck:
    ((contents: unknown, permission: string, origin: string, details: object) => boolean) | null = null
  deviceCheck: ((details: object) => boolean) | null = null
  displayMediaRequest: ((request: object, answer: (streams: object) => void) => void) | null = null
  spellChecker = true
  private lastRequest = 0

  readonly protocol = loud('Protocol', {
    handle: (scheme: string, handler: Handler): void => {
      if (!schemes.has(scheme))
        throw new MissingInDoubleError(`The Electron double serves declared schemes only, not ${scheme}`)
      if (this.handlers.has(scheme)) throw new Error('Failed to register protocol')
      this.handlers.set(scheme, handler)
    },
    isProtocolHandled: (scheme: string): boolean => this.handlers.has(scheme),
  })
  readonly webRequest = loud('WebRequest', {
    onBeforeRequest: (listener: BeforeRequest | null): void => {
      if (listener !== null && typeof listener !== 'function')
        throw new MissingInDoubleError('The Electron double has no filter of onBeforeRequest')
      this.beforeRequest = listener
    },
  })

  constructor(storagePath: string | null) {
    super('Session', ['will-download'])
    this.storagePath = storagePath
  }

  resolveProxy(_url: string): Promise<string> {
    return Promise.resolve('DIRECT')
  }
  isPersistent(): boolean {
    return this.storagePath !== null
  }
  setPermissionRequestHandler(handler: Session['permissionRequest']): void {
    this.permissionRequest = handler
  }
  setPermissionCheckHandler(handler: Session['permissionCheck']): void {
    this.permissionCheck = handler
  }
  setDevicePermissionHandler(handler: Session['deviceCheck']): void {
    this.deviceCheck = handler
  }
  setDisplayMediaRequestHandler(handler: Session['displayMediaRequest']): void {
    this.displayMediaRequest = handler
  }
  setSpellCheckerEnabled(enabled: boolean): void {
    this.spellChecker = enabled
  }

  /** Chromium writes stored data on its own schedule, at the latest when it ends. */
  flushStorageData(): void {}

  /** Asks the handlers for one request of a page. Null when it is cancelled. */
  async answer(request: {
    url: string
    method: string
    headers: Record<string, string>
    body?: string | undefined
    resourceType: string
    webContentsId?: number
  }): Promise<Response | null> {
    if (await this.isCancelled(request)) return null
    const scheme = request.url.slice(0, request.url.indexOf(':'))
    const handler = this.handlers.get(scheme)
    if (!handler)
      throw new MissingInDoubleError(
        `The Electron double has no network: ${request.method} ${request.url} was let through`,
      )
    const hasBody = request.body !== undefined && request.method !== 'GET' && request.method !== 'HEAD'
    return handler(
      new Request(request.url, {
        method: request.method,
        headers: request.headers,
        ...(hasBody ? { body: request.body! } : {}),
      }),
    )
  }

  /** A request of the main process. Addresses are normalised like Chromium does for a standard scheme. */
  async fetch(url: string, init: { method?: string } = {}): Promise<Response> {
    const response = await this.answer({
      url: toElectron(toChromium(url, schemes)),
      method: init.method ?? 'GET',
      headers: {},
      resourceType: 'other',
    })
    if (response === null) throw new Error('net::ERR_BLOCKED_BY_CLIENT')
    return response
  }

  private isCancelled(request: {
    url: string
    method: string
    resourceType: string
    webContentsId?: number
  }): Promise<boolean> {
    const listener = this.beforeRequest
    if (listener === null) return Promise.resolve(false)
    const { url, method, resourceType, webContentsId } = request
    return new Promise((resolve, reject) => {
      listener(
        {
          id: ++this.lastRequest,
          url,
          method,
          resourceType,
          ...(webContentsId === undefined ? {} : { webContentsId }),
          timestamp: Date.now(),
        },
        (response) => {
          if (response.redirectURL !== undefined)
            reject(new MissingInDoubleError('The Electron double has no redirectURL'))
          else resolve(response.cancel === true)
        },
      )
    })
  }
}

const partitions = new Map<string, Session>()

function fromPartition(partition: string, options: { cache?: boolean } = {}): Session {
  if (!isReady) throw new Error('Session can only be received when app is ready')
  const unknown = Object.keys(options).filter((key) => key !== 'cache')
  if (unknown.length > 0)
    throw new MissingInDoubleError(`The Electron double has no session option ${unknown.join(', ')}`)
  let found = partitions.get(partition)
  if (!found) {
    found = loud(
      'Session',
      new Session(partition.startsWith('persist:') || partition === '' ? partition : null),
    )
    partitions.set(partition, found)
  }
  return found
}

export const session = loud('Session', {
  fromPartition,
  get defaultSession(): Session {
    return fromPartition('')
  },
})
