import { DoubleEmitter, loud, MissingInDoubleError } from './loud.ts'

const say = (text: string) => process.stderr.write(`[electron double] ${text}\n`)

/** Boxes and questions are written to the terminal; a question waits for ever unless a test replaces the function. */
export const dialog = loud('dialog', {
  showErrorBox(title: string, content: string): void {
    say(`showErrorBox: ${title}: ${content}`)
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

/** Nothing leaves this process; a test may replace the function to see what would be opened. */
export const shell = loud('shell', {
  openExternal(url: string): Promise<void> {
    return Promise.reject(new MissingInDoubleError(`The Electron double opens nothing: ${url}`))
  },
  openPath(path: string): Promise<string> {
    return Promise.reject(new MissingInDoubleError(`The Electron double opens nothing: ${path}`))
  },
})

class DoubleNotification extends DoubleEmitter {
  static isSupported(): boolean {
    return true
  }
  readonly title: string
  readonly body: string
  constructor({ title = '', body = '' }: { title?: string; body?: string } = {}) {
    super('Notification', ['show', 'click', 'close', 'failed'])
    this.title = title
    this.body = body
  }
  show(): void {
    say(`notification: ${this.title}: ${this.body}`)
    this.emit('show', {})
  }
}
export const Notification = loud('Notification', DoubleNotification)

const themes = ['system', 'light', 'dark']

class DoubleTheme extends DoubleEmitter {
  private source = 'system'
  constructor() {
    super('nativeTheme', ['updated'])
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
export const nativeTheme = loud('nativeTheme', new DoubleTheme())

/** Emits no system events unless a test does. */
export const powerMonitor = loud(
  'powerMonitor',
  new DoubleEmitter('powerMonitor', ['suspend', 'resume', 'shutdown', 'lock-screen', 'unlock-screen']),
)

const area = { x: 0, y: 0, width: 1920, height: 1080 }
export const screen = loud('screen', {
  getAllDisplays: () => [{ id: 1, bounds: area, workArea: area, scaleFactor: 1 }],
  getPrimaryDisplay: () => ({ id: 1, bounds: area, workArea: area, scaleFactor: 1 }),
})
