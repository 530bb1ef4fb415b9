import { app } from './app.ts'
import { DoubleEmitter, loud, MissingInDoubleError } from './loud.ts'

const say = (text: string) => process.stderr.write(`[electron double] ${text}\n`)

/** Boxes and questions are written to the terminal; a question waits forever unless a test replaces the function. */
export const dialog = loud('Dialog', {
  /** Before the app is ready, Linux shows none. */
  showErrorBox(title: string, content: string): void {
    say(`${app.isReady() ? 'showErrorBox' : 'no error box yet'}: ${title}: ${content}`)
  },
  showMessageBox(...args: unknown[]): Promise<{ response: number; checkboxChecked: boolean }> {
    const { message } = args.at(-1) as { message: string }
    say(`showMessageBox: ${message}`)
    return new Promise(() => {})
  },
  showSaveDialog(): Promise<{ canceled: boolean; filePath: string }> {
    say('showSaveDialog')
    return Promise.resolve({ canceled: true, filePath: '' })
  },
})

/** Nothing is opened; a test may replace the function to see what would be. */
export const shell = loud('Shell', {
  openExternal(url: string): Promise<void> {
    return Promise.reject(new MissingInDoubleError(`The Electron double opens nothing: ${url}`))
  },
  openPath(path: string): Promise<string> {
    return Promise.reject(new MissingInDoubleError(`The Electron double opens nothing: ${path}`))
  },
})

const notificationOptions = new Set([
  'title',
  'body',
  'silent',
  'urgency',
  'icon',
  'id',
  'groupId',
  'timeoutType',
])

class DoubleNotification extends DoubleEmitter {
  static isSupported(): boolean {
    return true
  }
  readonly title: string
  readonly body: string
  constructor(options: { title?: string; body?: string } = {}) {
    super('Notification', ['show', 'click', 'close', 'failed'])
    const unknown = Object.keys(options).filter((name) => !notificationOptions.has(name))
    if (unknown.length > 0)
      throw new MissingInDoubleError(`The Electron double has no notification option ${unknown.join(', ')}`)
    this.title = options.title ?? ''
    this.body = options.body ?? ''
  }
  show(): void {
    say(`notification: ${this.title}: ${this.body}`)
    // The desktop answers later.
    setImmediate(() => this.emit('show', {}))
  }
  close(): void {
    setImmediate(() => this.emit('close', {}))
  }
}
export const Notification = loud('Notification', DoubleNotification)

const themes = ['system', 'light', 'dark']

class DoubleTheme extends DoubleEmitter {
  private source = 'system'
  constructor() {
    super('NativeTheme', ['updated'])
  }
  /** A dark desktop. */
  get shouldUseDarkColors(): boolean {
    return this.source !== 'light'
  }
  get themeSource(): string {
    return this.source
  }
  set themeSource(source: string) {
    if (!themes.includes(source)) throw new TypeError(`Error processing argument: ${source} is no theme`)
    if (source === this.source) return
    this.source = source
    this.emit('updated')
  }
}
export const nativeTheme = loud('NativeTheme', new DoubleTheme())

/** Emits no system events unless a test does. */
export const powerMonitor = loud(
  'PowerMonitor',
  new DoubleEmitter('PowerMonitor', ['suspend', 'resume', 'shutdown', 'lock-screen', 'unlock-screen']),
)

/** Installs nothing: the double never updates. */
export const autoUpdater = loud('AutoUpdater', new DoubleEmitter('AutoUpdater', ['before-quit-for-update']))

const area = { x: 0, y: 0, width: 1920, height: 1080 }
export const screen = loud('Screen', {
  getAllDisplays: () => [{ id: 1, bounds: area, workArea: area, scaleFactor: 1 }],
  getPrimaryDisplay: () => ({ id: 1, bounds: area, workArea: area, scaleFactor: 1 }),
})
