import { DoubleEmitter, loud, MissingInDoubleError } from './loud.ts'

const say = (text: string) => process.stderr.write(`[electron double] ${text}\n`)

/** `menu-item` roles from Electron’s documentation, in lower case as it compares them. */
const roles = new Set(
  'undo redo cut copy paste pasteAndMatchStyle delete selectAll reload forceReload toggleDevTools resetZoom zoomIn zoomOut toggleSpellChecker togglefullscreen window minimize close help about services hide hideOthers unhide quit showSubstitutions toggleSmartQuotes toggleSmartDashes toggleTextReplacement startSpeaking stopSpeaking zoom front appMenu fileMenu editMenu viewMenu shareMenu recentDocuments toggleTabBar selectNextTab selectPreviousTab showAllTabs mergeAllWindows clearRecentDocuments moveTabToNewWindow windowMenu'
    .split(' ')
    .map((role) => role.toLowerCase()),
)

const types = ['normal', 'separator', 'submenu', 'checkbox', 'radio']
const itemNames = new Set([
  'role',
  'label',
  'type',
  'accelerator',
  'enabled',
  'visible',
  'checked',
  'submenu',
  'click',
])

interface ItemTemplate {
  role?: string
  label?: string
  type?: string
  accelerator?: string
  enabled?: boolean
  submenu?: ItemTemplate[]
  click?: () => void
}

interface MenuItem extends Omit<ItemTemplate, 'submenu'> {
  enabled: boolean
  submenu?: DoubleMenu
}

/** Modifiers and key names from Electron’s documentation that the app uses. */
const accelerator =
  /^(?:(?:Cmd|Ctrl|CmdOrCtrl|CommandOrControl|Alt|Shift)\+)*(?:[A-Z0-9,./;']|F\d{1,2}|Plus|Space|Tab|Esc)$/

function itemOf(template: ItemTemplate): MenuItem {
  const { role, label, type, submenu, enabled = true } = template
  const strange = Object.keys(template).filter((name) => !itemNames.has(name))
  if (strange.length > 0)
    throw new MissingInDoubleError(`The Electron double has no menu item option ${strange.join(', ')}`)
  if (role !== undefined && !roles.has(role.toLowerCase())) throw new Error(`Unknown role ${role}`)
  if (type !== undefined && !types.includes(type)) throw new Error(`Unknown menu item type: ${type}`)
  if (role === undefined && label === undefined && type === undefined)
    throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type')
  if (template.accelerator !== undefined && !accelerator.test(template.accelerator))
    throw new MissingInDoubleError(`The Electron double knows no accelerator ${template.accelerator}`)
  return { ...template, enabled, submenu: submenu && DoubleMenu.buildFromTemplate(submenu) } as MenuItem
}

class DoubleMenu {
  private static application: DoubleMenu | null = null
  static buildFromTemplate(template: ItemTemplate[]): DoubleMenu {
    return loud('Menu', new DoubleMenu(template.map(itemOf)))
  }
  static setApplicationMenu(menu: DoubleMenu | null): void {
    DoubleMenu.application = menu
  }
  static getApplicationMenu(): DoubleMenu | null {
    return DoubleMenu.application
  }
  readonly items: MenuItem[]
  constructor(items: MenuItem[] = []) {
    this.items = items
  }
  /** Shows nothing. A test can replace it. */
  popup(options: { window?: unknown; x?: number; y?: number } = {}): void {
    if ((options.x === undefined) !== (options.y === undefined))
      throw new TypeError('Menu.popup takes both of x and y or none')
    say(`popup: ${this.items.map(({ label, role, type }) => label ?? role ?? type).join(', ')}`)
  }
}
export const Menu = loud('Menu', DoubleMenu)

interface BitmapOptions {
  width: number
  height: number
  scaleFactor?: number
}

/** An image of raw pixels. Stores only the size, and rejects a wrong number of pixels. */
class DoubleImage {
  private readonly sizes = new Map<number, { width: number; height: number }>()
  private isTemplate = false
  constructor(pixels: Buffer, options: BitmapOptions) {
    this.add(pixels, options)
  }
  private add(pixels: Buffer, { width, height, scaleFactor = 1 }: BitmapOptions): void {
    if (pixels.length !== width * height * 4) throw new Error('invalid buffer size')
    this.sizes.set(scaleFactor, { width: width / scaleFactor, height: height / scaleFactor })
  }
  addRepresentation({
    buffer,
    width = 0,
    height = 0,
    scaleFactor = 1,
  }: Partial<BitmapOptions> & { buffer: Buffer }) {
    this.add(buffer, { width, height, scaleFactor })
  }
  getScaleFactors(): number[] {
    return [...this.sizes.keys()]
  }
  getSize(scaleFactor = 1): { width: number; height: number } {
    return this.sizes.get(scaleFactor) ?? [...this.sizes.values()][0]!
  }
  setTemplateImage(isTemplate: boolean): void {
    this.isTemplate = isTemplate
  }
  isTemplateImage(): boolean {
    return this.isTemplate
  }
}

export const nativeImage = loud('NativeImage', {
  createFromBitmap: (pixels: Buffer, options: BitmapOptions) =>
    loud('NativeImage', new DoubleImage(pixels, options)),
})

class DoubleTray extends DoubleEmitter {
  private destroyed = false
  constructor(image: DoubleImage) {
    super('Tray', ['click', 'right-click', 'double-click'])
    this.setImage(image)
  }
  private check(): void {
    if (this.destroyed) throw new Error('Tray is destroyed')
  }
  setImage(image: DoubleImage): void {
    this.check()
    if (typeof image.getSize !== 'function') throw new TypeError('Error processing argument: not an image')
  }
  setToolTip(text: string): void {
    this.check()
    say(`tray: ${text}`)
  }
  setContextMenu(menu: DoubleMenu | null): void {
    this.check()
    if (menu !== null && !(menu instanceof DoubleMenu))
      throw new TypeError('Error processing argument: not a menu')
  }
  isDestroyed(): boolean {
    return this.destroyed
  }
  destroy(): void {
    this.destroyed = true
    this.removeAllListeners()
  }
}
export const Tray = loud('Tray', DoubleTray)
