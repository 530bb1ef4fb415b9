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

/** `menu-item` roles of Electron's documentation, in lower case as it compares them. */
const roles = new Set(
  'undo redo cut copy paste pasteAndMatchStyle delete selectAll reload forceReload toggleDevTools resetZoom zoomIn zoomOut toggleSpellChecker togglefullscreen window minimize close help about services hide hideOthers unhide quit showSubstitutions toggleSmartQuotes toggleSmartDashes toggleTextReplacement startSpeaking stopSpeaking zoom front appMenu fileMenu editMenu viewMenu shareMenu recentDocuments toggleTabBar selectNextTab selectPreviousTab showAllTabs mergeAllWindows clearRecentDocuments moveTabToNewWindow windowMenu'
    .split(' ')
    .map((role) => role.toLowerCase()),
)

interface MenuItem {
  role?: string
  label?: string
  type?: string
  submenu?: MenuItem[]
  click?: () => void
}

interface BuiltMenu {
  items: MenuItem[]
}

let applicationMenu: BuiltMenu | null = null

function build(template: MenuItem[]): BuiltMenu {
  for (const item of template) {
    if (item.role !== undefined && !roles.has(item.role.toLowerCase()))
      throw new Error(`Unknown role ${item.role}`)
    if (item.role === undefined && item.label === undefined && item.type === undefined)
      throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type')
    if (item.submenu) build(item.submenu)
  }
  return { items: template }
}

export const Menu = loud('Menu', {
  buildFromTemplate: build,
  setApplicationMenu(menu: BuiltMenu | null): void {
    applicationMenu = menu
  },
  getApplicationMenu: () => applicationMenu,
})

export const nativeTheme = loud(
  'nativeTheme',
  Object.assign(new DoubleEmitter('nativeTheme', ['updated']), {
    shouldUseDarkColors: true,
    themeSource: 'system',
  }),
)

interface DoubleImage {
  getSize(): { width: number; height: number }
}

/** Images of raw pixels, of which the double keeps the size; the wrong amount of pixels is refused, as Electron does. */
export const nativeImage = loud('nativeImage', {
  createFromBitmap(pixels: Buffer, { width, height }: { width: number; height: number }): DoubleImage {
    if (pixels.length !== width * height * 4) throw new Error('invalid buffer size')
    return { getSize: () => ({ width, height }) }
  },
})

class DoubleTray extends DoubleEmitter {
  constructor(image: DoubleImage) {
    super('Tray', ['click', 'right-click', 'double-click'])
    this.setImage(image)
  }
  setImage(image: DoubleImage): void {
    if (typeof image.getSize !== 'function') throw new TypeError('Error processing argument: not an image')
  }
  setToolTip(text: string): void {
    say(`tray: ${text}`)
  }
  setContextMenu(menu: BuiltMenu | null): void {
    if (menu !== null) build(menu.items)
  }
  destroy(): void {
    this.removeAllListeners()
  }
}
export const Tray = loud('Tray', DoubleTray)

const area = { x: 0, y: 0, width: 1920, height: 1080 }
export const screen = loud('screen', {
  getAllDisplays: () => [{ id: 1, bounds: area, workArea: area, scaleFactor: 1 }],
  getPrimaryDisplay: () => ({ id: 1, bounds: area, workArea: area, scaleFactor: 1 }),
})
