import { toChromium, toElectron } from './address.ts'
import type { Browser } from './browser.ts'
import type { CdpSession } from './cdp.ts'
import { createFrameTree, type WebFrameMain } from './frames.ts'
import { DoubleEmitter, loud, preventable, problem } from './loud.ts'
import { createPageIpc } from './page-ipc.ts'
import { applyPermissions } from './permissions.ts'
import { declaredSchemes, type Session } from './session.ts'
import type { WebPreferences } from './web-preferences.ts'

const events = [
  'will-navigate',
  'will-frame-navigate',
  'will-redirect',
  'will-attach-webview',
  'will-prevent-unload',
  'context-menu',
  'did-finish-load',
  'did-fail-load',
  'dom-ready',
  'render-process-gone',
  'preload-error',
  'destroyed',
  'console-message',
  'did-create-window',
]

type WindowOpenHandler = (details: {
  url: string
  frameName: string
  features: string
  disposition: string
}) => { action: 'allow' | 'deny' }

interface Paused {
  requestId: string
  request: { url: string; method: string; headers: Record<string, string>; postData?: string }
  frameId: string
  resourceType: string
  redirectedRequestId?: string
}

let lastId = 0

/** Electron’s `webContents` over one Chromium page. What Chromium does on its own is reported as Electron reports it. */
export class WebContents extends DoubleEmitter {
  readonly id = ++lastId
  readonly session: Session
  targetId = ''
  private page: CdpSession | null = null
  private attached = Promise.withResolvers<CdpSession>()
  private preferences: WebPreferences
  private openHandler: WindowOpenHandler | null = null
  private isOwnNavigation = false
  private crashed = false
  private lastOpened = { url: '', frameName: '', features: '' }
  private readonly frames = createFrameTree((...args) => this.ipc.post(...args))
  private readonly ipc

  constructor(preferences: WebPreferences, session: Session) {
    super('WebContents', events)
    this.preferences = preferences
    this.session = session
    this.ipc = createPageIpc({
      preload: preferences.preload,
      frames: () => this.frames,
      contents: () => loud('WebContents', this),
    })
    this.attached.promise.catch(() => {})
  }

  /** Takes over a page that waits for its debugger, and resumes it. */
  async attach(
    browser: Browser,
    page: CdpSession,
    targetId: string,
    browserContextId: string | null,
  ): Promise<void> {
    this.targetId = targetId
    this.frames.add(targetId, null)
    await this.prepare(browser, page)
    page.on('Page.loadEventFired', () => this.emit('did-finish-load', {}))
    page.on('Page.domContentEventFired', () => this.emit('dom-ready', {}))
    page.on('Page.windowOpen', ({ url, windowName, windowFeatures }) => {
      this.lastOpened = { url: toElectron(url), frameName: windowName, features: windowFeatures.join(',') }
    })
    page.on('Inspector.targetCrashed', () => {
      this.crashed = true
      this.ipc.reset()
      this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 })
    })
    page.on('Page.javascriptDialogOpening', ({ type }) => {
      if (type === 'beforeunload') this.onBeforeUnload(page)
    })
    page.onDetached(() => {
      this.page = null
      this.unloading?.(true)
      this.ipc.reset()
    })
    const origin = toChromium('app://console/', declaredSchemes()).slice(0, -1)
    await applyPermissions(browser.connection.root, this.session, this, {
      chromium: origin,
      electron: 'app://console',
      browserContextId,
    })
    await page.send('Runtime.runIfWaitingForDebugger')
    this.page = page
    this.attached.resolve(page)
  }

  /** The same for the page and each of its frames in another process. */
  private async prepare(browser: Browser, page: CdpSession): Promise<void> {
    this.frames.follow(page)
    page.on('Fetch.requestPaused', (paused) => {
      this.onRequest(page, paused as Paused).catch((error: unknown) => {
        // A page that is gone needs no answer.
        if (!/is gone|Invalid InterceptionId/.test(String(error))) problem(String(error))
      })
    })
    page.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const child = browser.connection.session(sessionId)
      const ready = targetInfo.type === 'iframe' ? this.prepare(browser, child) : Promise.resolve()
      ready.then(() => child.send('Runtime.runIfWaitingForDebugger')).catch(() => {})
    })
    await Promise.all([
      page.send('Page.enable'),
      this.ipc.prepare(page),
      page.send('Runtime.enable'),
      page.send('Inspector.enable'),
      page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      page.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
    ])
  }

  /** One request of the page, in Electron’s order: navigation events, the session’s filter, the scheme’s handler. */
  private async onRequest(
    page: CdpSession,
    { requestId, request, frameId, resourceType, redirectedRequestId }: Paused,
  ): Promise<void> {
    const url = toElectron(request.url)
    const isMainFrame = this.frames.isMain(frameId)
    if (resourceType === 'Document') {
      const isOwn = isMainFrame && this.isOwnNavigation
      if (isMainFrame) this.isOwnNavigation = false
      if (
        redirectedRequestId !== undefined &&
        !this.mayNavigate(['will-redirect'], url, isMainFrame, frameId)
      ) {
        return void (await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }))
      }
      const asked = isMainFrame ? ['will-frame-navigate', 'will-navigate'] : ['will-frame-navigate']
      if (
        !isOwn &&
        redirectedRequestId === undefined &&
        !this.mayNavigate(asked, url, isMainFrame, frameId)
      ) {
        return void (await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }))
      }
    }
    let response: Response | null
    try {
      const type =
        resourceType === 'Document' ? (isMainFrame ? 'mainFrame' : 'subFrame') : resourceType.toLowerCase()
      response = await this.session.answer({
        url,
        method: request.method,
        headers: request.headers,
        body: request.postData,
        resourceType: type,
        webContentsId: this.id,
      })
    } catch (error) {
      problem(String(error))
      return void (await page.send('Fetch.failRequest', { requestId, errorReason: 'Failed' }))
    }
    if (response === null)
      return void (await page.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }))
    await page.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: response.status,
      responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
    })
  }

  private mayNavigate(names: string[], url: string, isMainFrame: boolean, frameId: string): boolean {
    return names.every((name) => {
      const event = preventable({
        url,
        isMainFrame,
        isSameDocument: false,
        frame: this.frames.get(frameId),
        initiator: this.frames.get(frameId),
      })
      this.emit(name, event, url, false, isMainFrame, 1, this.frames.get(frameId)?.frameTreeNodeId ?? -1)
      return !event.defaultPrevented
    })
  }

  hasFrame(frameId: string): boolean {
    return this.frames.get(frameId) !== null
  }

  /** A page opened by this one waits for its debugger. True when the app allows it. */
  allowsOpening(): boolean {
    const details = {
      ...this.lastOpened,
      disposition: 'new-window',
      referrer: { url: '', policy: 'no-referrer' },
      postBody: undefined,
    }
    const { action } = this.openHandler?.(details) ?? { action: 'allow' as const }
    if (action === 'allow') problem(`The Electron double opens no child windows: ${details.url} was allowed`)
    return action === 'allow'
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.openHandler = handler
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.attached.promise
    const loaded = new Promise<void>((resolve) => this.once('did-finish-load', () => resolve()))
    this.isOwnNavigation = true
    const { errorText, loaderId } = await page.send('Page.navigate', {
      url: toChromium(url, declaredSchemes()),
    })
    this.crashed = false
    // A place in the same document, which is not loaded again.
    if (errorText === undefined && loaderId === undefined) {
      this.isOwnNavigation = false
      return
    }
    if (errorText !== undefined) {
      this.emit('did-fail-load', {}, -2, errorText, url, true)
      throw Object.assign(new Error(`${errorText} loading '${url}'`), { url, code: errorText })
    }
    await loaded
  }

  reload(): void {
    this.isOwnNavigation = true
    this.crashed = false
    this.page?.send('Page.reload').catch((error: unknown) => problem(String(error)))
  }

  forcefullyCrashRenderer(): void {
    // Never answered: the page is gone.
    this.page?.send('Page.crash').catch(() => {})
  }

  private zoomLevel = 0

  /** The page’s size stays in the double. */
  setZoomLevel(level: number): void {
    if (!Number.isFinite(level)) throw new TypeError('Error processing argument: no zoom level')
    this.zoomLevel = level
  }

  getZoomLevel(): number {
    return this.zoomLevel
  }

  private unloading: ((mayUnload: boolean) => void) | null = null

  /** Runs the page’s `beforeunload` listeners. Settles with false when one of them keeps the page and the app allows it. */
  askToUnload(settle: (mayUnload: boolean) => void): void {
    const { page } = this
    if (page === null || this.crashed) return settle(true)
    this.unloading = (mayUnload) => {
      this.unloading = null
      settle(mayUnload)
    }
    // Closes the page if nothing objects.
    this.stayed.then(() => page.send('Page.close')).catch(() => {})
  }

  /** Chromium ignores a close until the page knows that the last one was refused. */
  private stayed: Promise<unknown> = Promise.resolve()

  private onBeforeUnload(page: CdpSession): void {
    const event = preventable({})
    this.emit('will-prevent-unload', event)
    const accept = event.defaultPrevented
    const answered = page.send('Page.handleJavaScriptDialog', { accept })
    if (accept) return void answered.catch(() => {})
    // The page runs nothing until its own question has returned.
    this.stayed = answered.then(() => page.send('Runtime.evaluate', { expression: '0' })).catch(() => {})
    this.unloading?.(false)
  }

  isCrashed(): boolean {
    return this.crashed
  }

  async executeJavaScript(code: string): Promise<unknown> {
    const page = await this.attached.promise
    const { result, exceptionDetails } = await page.send('Runtime.evaluate', {
      expression: code,
      awaitPromise: true,
      returnByValue: true,
      userGesture: false,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value as unknown
  }

  get mainFrame(): WebFrameMain {
    return this.frames.main()!
  }

  getURL(): string {
    return this.frames.main()?.url ?? ''
  }

  getTitle(): Promise<unknown> {
    return this.executeJavaScript('document.title')
  }

  getLastWebPreferences(): WebPreferences {
    return { ...this.preferences }
  }

  isDestroyed(): boolean {
    return this.destroyed
  }

  private destroyed = false

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.ipc.reset()
    this.attached.reject(new Error('The window was closed'))
    this.emit('destroyed')
  }
}
