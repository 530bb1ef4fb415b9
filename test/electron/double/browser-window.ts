import { app, isSandboxEnabled, windowClosed, windows, windowStays } from './app.ts'
import { DoubleEmitter, loud, MissingInDoubleError, preventable, problem } from './loud.ts'
import { pages } from './pages.ts'
import { session } from './session.ts'
import { WebContents } from './web-contents.ts'
import { effectivePreferences, type WebPreferences } from './web-preferences.ts'

interface Bounds {
  x: number
  y: number
  width: number
  height: number
}

const optionNames = new Set([
  'x',
  'y',
  'width',
  'height',
  'minWidth',
  'minHeight',
  'show',
  'title',
  'icon',
  'backgroundColor',
  'webPreferences',
])
const events = [
  'ready-to-show',
  'show',
  'hide',
  'focus',
  'close',
  'closed',
  'unresponsive',
  'responsive',
  'maximize',
  'unmaximize',
  'minimize',
  'restore',
  'resize',
  'move',
  'enter-full-screen',
  'leave-full-screen',
  'query-session-end',
  'session-end',
]

const all = windows as BrowserWindow[]

/** Electron’s window: a Chromium page with a position. */
class BrowserWindow extends DoubleEmitter {
  static getAllWindows(): BrowserWindow[] {
    return [...all]
  }
  static fromWebContents(contents: WebContents): BrowserWindow | null {
    return all.find((each) => each.webContents.id === contents.id) ?? null
  }
  static getFocusedWindow(): BrowserWindow | null {
    return all.find((each) => each.state.focused) ?? null
  }

  readonly id: number
  readonly webContents: WebContents
  readonly options: Record<string, unknown>
  private readonly contents: WebContents
  private readonly state = {
    visible: true,
    focused: false,
    maximized: false,
    minimized: false,
    fullScreen: false,
    mayShow: false,
    destroyed: false,
  }
  private bounds: Bounds
  private windowId: number | null = null
  private readonly self: BrowserWindow

  constructor(
    options: Partial<Bounds> & { show?: boolean; webPreferences?: Partial<WebPreferences> } & Record<
        string,
        unknown
      >,
  ) {
    super('BrowserWindow', events)
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready')
    const unknown = Object.keys(options).filter((name) => !optionNames.has(name))
    if (unknown.length > 0)
      throw new MissingInDoubleError(`The Electron double has no window option ${unknown.join(', ')}`)
    const preferences = effectivePreferences(options.webPreferences ?? {}, isSandboxEnabled())
    this.options = options
    this.bounds = {
      x: options.x ?? 0,
      y: options.y ?? 0,
      width: options.width ?? 800,
      height: options.height ?? 600,
    }
    this.state.visible = options.show !== false
    this.contents = new WebContents(preferences, preferences.session ?? session.defaultSession)
    this.webContents = loud('WebContents', this.contents)
    this.id = this.contents.id
    const self = loud('BrowserWindow', this)
    this.self = self
    all.push(self)
    app.emit('web-contents-created', {}, this.webContents)
    app.emit('browser-window-created', {}, this)
    this.contents.once('did-finish-load', () => {
      this.state.mayShow = true
      this.emit('ready-to-show', {})
    })
    this.contents.once('did-fail-load', () => (this.state.mayShow = true))
    this.contents.on('render-process-gone', (...args: unknown[]) => {
      this.state.mayShow = true
      app.emit('render-process-gone', args[0], this.webContents, args[1])
    })
    this.open(preferences.disableBlinkFeatures).catch((error: unknown) => problem(String(error)))
    return self
  }

  private async open(blinkFeaturesOff: string | undefined): Promise<void> {
    const chromium = await pages(app.getPath('userData'), blinkFeaturesOff)
    if (this.state.destroyed) return
    const { page, targetId, browserContextId } = await chromium.open(this.contents, this.bounds)
    page.onDetached(() => this.gone())
    await this.contents.attach(chromium.browser, page, targetId, browserContextId)
    this.windowId = (
      await chromium.browser.connection.root.send('Browser.getWindowForTarget', { targetId })
    ).windowId
  }

  private gone(): void {
    if (this.state.destroyed) return
    this.state.destroyed = true
    this.contents.destroy()
    this.emit('closed')
    windowClosed(this.self)
  }

  loadURL(url: string): Promise<void> {
    return this.contents.loadURL(url)
  }

  close(): void {
    if (this.state.destroyed) return
    const event = preventable({})
    this.emit('close', event)
    if (event.defaultPrevented) return windowStays()
    this.contents.askToUnload((mayUnload) => {
      if (!mayUnload) windowStays()
      else if (!this.state.destroyed) this.destroy()
    })
  }

  destroy(): void {
    const { targetId } = this.contents
    if (targetId === '') return this.gone()
    pages(app.getPath('userData')).then(
      (chromium) => chromium.close(targetId),
      () => this.gone(),
    )
  }

  isDestroyed(): boolean {
    return this.state.destroyed
  }
  show(): void {
    this.reveal('show')
    this.state.focused = true
  }
  /** A window shown before its page was loaded or failed would flash. */
  private reveal(how: string): void {
    if (!this.state.mayShow) problem(`BrowserWindow.${how} showed the window before its page`)
    if (this.state.visible) return
    this.state.visible = true
    this.emit('show', {})
  }
  hide(): void {
    this.state.visible = false
    this.emit('hide', {})
  }
  focus(): void {
    this.state.focused = true
    this.emit('focus', {})
  }
  isVisible(): boolean {
    return this.state.visible
  }
  isFocused(): boolean {
    return this.state.focused
  }
  /** Shows the window without focus, as documented. */
  maximize(): void {
    this.reveal('maximize')
    this.state.maximized = true
    this.emit('maximize', {})
  }
  unmaximize(): void {
    this.state.maximized = false
    this.emit('unmaximize', {})
  }
  isMaximized(): boolean {
    return this.state.maximized
  }
  minimize(): void {
    this.state.minimized = true
    this.state.focused = false
    this.emit('minimize', {})
  }
  restore(): void {
    this.state.minimized = false
    this.emit('restore', {})
  }
  isMinimized(): boolean {
    return this.state.minimized
  }
  setFullScreen(on: boolean): void {
    if (on) this.reveal('setFullScreen')
    if (this.state.fullScreen === on) return
    this.state.fullScreen = on
    // Desktops animate this, so the event comes later.
    setImmediate(() => this.emit(on ? 'enter-full-screen' : 'leave-full-screen', {}))
  }
  isFullScreen(): boolean {
    return this.state.fullScreen
  }
  getNormalBounds(): Bounds {
    return { ...this.bounds }
  }
  getBounds(): Bounds {
    return { ...this.bounds }
  }
  setBounds(bounds: Partial<Bounds>): void {
    const { x, y, width, height } = this.bounds
    this.bounds = { ...this.bounds, ...bounds }
    if (this.bounds.x !== x || this.bounds.y !== y) this.emit('move', {})
    if (this.bounds.width !== width || this.bounds.height !== height) this.emit('resize', {})
    if (this.windowId === null) return
    const { windowId } = this
    void pages(app.getPath('userData')).then(({ browser }) =>
      browser.connection.root.send('Browser.setWindowBounds', {
        windowId,
        bounds: { width: this.bounds.width, height: this.bounds.height },
      }),
    )
  }
}

const LoudBrowserWindow = loud('BrowserWindow', BrowserWindow)
export { LoudBrowserWindow as BrowserWindow }
