import { EventEmitter } from 'node:events'

const say = (text: string) => process.stderr.write(`[electron double] ${text}\n`)

/** Boxes are written to the terminal; a question waits until a test replaces the function. */
export const dialog = {
  showErrorBox: (title: string, content: string) => say(`showErrorBox: ${title}: ${content}`),
  showMessageBox: (...args: unknown[]) => {
    say(`showMessageBox: ${(args.at(-1) as { message: string }).message}`)
    return new Promise(() => {})
  },
}

/** Opens nothing; a test may replace the functions to see what would be. */
export const shell = { openExternal: () => Promise.resolve(), openPath: () => Promise.resolve('') }

export class Notification extends EventEmitter {
  static isSupported = () => true
  /** The desktop answers later. */
  show(): void {
    setImmediate(() => this.emit('show', {}))
  }
}

/** Emit nothing unless a test does. The desktop is dark. */
export const nativeTheme = { themeSource: 'system', shouldUseDarkColors: true }
export const powerMonitor = new EventEmitter()
export const autoUpdater = new EventEmitter()
export const screen = { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] }
export const nativeImage = { createFromBitmap: () => ({ addRepresentation() {}, setTemplateImage() {} }) }

interface Item {
  role?: string
  label?: string
  submenu?: Item[]
  click?: () => void
}

/** Not drawn: a test clicks its items. */
export class Menu {
  private static application: Menu | null = null
  static buildFromTemplate = (template: Item[]) => new Menu(template)
  static setApplicationMenu = (menu: Menu | null) => void (Menu.application = menu)
  static getApplicationMenu = () => Menu.application
  readonly items: object[]
  constructor(template: Item[]) {
    this.items = template.map((item) => ({
      label: '',
      ...item,
      submenu: item.submenu && new Menu(item.submenu),
    }))
  }
  popup(): void {}
}

export class Tray extends EventEmitter {
  setImage(): void {}
  setToolTip(_text: string): void {}
  setContextMenu(_menu: Menu): void {}
  isDestroyed = () => false
  destroy(): void {}
}
