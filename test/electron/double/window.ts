import type { Page, Route } from '@playwright/test'
import { EventEmitter } from 'node:events'
import { toChromium, toElectron } from './address.ts'
import { app, windowClosed, windows, windowStays } from './app.ts'
import { startChromium } from './chromium.ts'
import { runPreload } from './preload.ts'
import { preventable, problem } from './problems.ts'
import type { Session } from './session.ts'

interface WebPreferences {
  preload: string
  session: Session
  disableBlinkFeatures?: string
}

/** Electron’s `webContents` over one Chromium page. What Chromium does on its own is reported as Electron reports it. */
class WebContents extends EventEmitter {
  readonly session: Session
  readonly opened: Promise<Page>
  private readonly preferences: WebPreferences
  private isOwnNavigation = false
  private windowOpenHandler = () => ({ action: 'allow' })
  private zoomLevel = 0
  private url = ''

  constructor(preferences: WebPreferences) {
    super()
    this.preferences = preferences
    this.session = preferences.session
    this.opened = this.open()
    this.opened.catch(problem)
  }

  private async open(): Promise<Page> {
    const { preload, disableBlinkFeatures } = this.preferences
    const context = await startChromium(app.getPath('userData'), disableBlinkFeatures)
    const page = context.pages()[0]!
    await runPreload(await context.newCDPSession(page), preload, this)
    await context.route(/./, (route) => this.answer(page, route).catch(problem))
    context.on('page', (other) => {
      if (this.windowOpenHandler().action !== 'deny') problem('The page may open a window')
      other.close().catch(() => {})
    })
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.url = toElectron(frame.url())
    })
    page.on('load', () => this.emit('did-finish-load'))
    return page
  }

  /** One request, in Electron’s order: navigation events, the session’s filter, the scheme’s handler. */
  private async answer(page: Page, route: Route): Promise<void> {
    const request = route.request()
    const url = toElectron(request.url())
    if (request.isNavigationRequest()) {
      const isMainFrame = isMain(page, route)
      const isOwn = isMainFrame && this.isOwnNavigation
      if (isMainFrame) this.isOwnNavigation = false
      const event = preventable()
      if (!isOwn) this.emit('will-frame-navigate', event)
      if (!isOwn && isMainFrame) this.emit('will-navigate', event)
      if (event.defaultPrevented) return route.abort('aborted')
    }
    const response = await this.session.answer(url, { method: request.method(), headers: request.headers() })
    if (response === null) return route.abort('blockedbyclient')
    const body = Buffer.from(await response.arrayBuffer())
    // The page may be gone by now.
    await route
      .fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body })
      .catch(() => {})
  }

  setWindowOpenHandler(handler: () => { action: string }): void {
    this.windowOpenHandler = handler
  }
  async loadURL(url: string): Promise<void> {
    const page = await this.opened
    this.isOwnNavigation = true
    await page.goto(toChromium(url))
  }
  reload(): void {
    this.isOwnNavigation = true
    this.opened.then((page) => page.reload()).catch(problem)
  }
  setZoomLevel(level: number): void {
    this.zoomLevel = level
  }
  getZoomLevel = () => this.zoomLevel
  getURL = () => this.url
  getLastWebPreferences = () => ({ ...this.preferences })
}

/** True for a document of the page’s main frame. The frame of a new window isn’t known yet. */
function isMain(page: Page, route: Route): boolean {
  try {
    return route.request().frame() === page.mainFrame()
  } catch {
    return false
  }
}

interface Bounds {
  x: number
  y: number
  width: number
  height: number
}

/** Electron’s window: a Chromium page with a position. The console opens one. */
export class BrowserWindow extends EventEmitter {
  static getAllWindows = () => windows as BrowserWindow[]

  readonly webContents: WebContents
  private isShown = true
  private bounds: Bounds
  private is = { minimized: false, destroyed: false }

  constructor({ webPreferences, ...bounds }: Partial<Bounds> & { webPreferences: WebPreferences }) {
    super()
    const { x = 0, y = 0, width = 800, height = 600 } = bounds
    this.bounds = { x, y, width, height }
    this.webContents = new WebContents(webPreferences)
    windows.push(this)
    app.emit('web-contents-created', {}, this.webContents)
    this.webContents.opened.then((page) => this.follow(page)).catch(() => {})
  }

  private follow(page: Page): void {
    page.on('dialog', (question) => {
      if (question.type() !== 'beforeunload') return
      const event = preventable()
      this.webContents.emit('will-prevent-unload', event)
      // Electron’s event says that the page may go only when it is prevented.
      if (event.defaultPrevented) return void question.accept().catch(() => {})
      windowStays()
      // Chromium ignores a close until the page knows that the last one was refused.
      this.stayed = question.dismiss().then(
        () => page.evaluate('0'),
        () => {},
      )
    })
    page.on('close', () => {
      this.is.destroyed = true
      this.emit('closed')
      windowClosed(this)
    })
  }
  private stayed: Promise<unknown> = Promise.resolve()

  close(): void {
    const event = preventable()
    this.emit('close', event)
    if (event.defaultPrevented) return windowStays()
    Promise.all([this.webContents.opened, this.stayed])
      .then(([page]) => page.close({ runBeforeUnload: true }))
      .catch(problem)
  }
  loadURL = (url: string) => this.webContents.loadURL(url)
  isDestroyed = () => this.is.destroyed

  show(): void {
    this.isShown = true
  }
  hide(): void {
    this.isShown = false
  }
  focus() {}
  isVisible = () => this.isShown
  isMaximized = () => false
  isFullScreen = () => false
  minimize(): void {
    this.is.minimized = true
  }
  restore(): void {
    this.is.minimized = false
  }
  isMinimized = () => this.is.minimized
  getNormalBounds = () => this.bounds
  setBounds(bounds: Bounds): void {
    this.bounds = bounds
    this.emit('resize')
  }
}
