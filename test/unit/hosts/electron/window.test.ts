import { EventEmitter } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const bounds = { x: 40, y: 50, width: 1_000, height: 700 }
// Outside Electron the package is just a path to a binary.
class FakeWindow extends EventEmitter {
  webContents = Object.assign(new EventEmitter(), { setZoomLevel: vi.fn(), getZoomLevel: () => 1.5 })
  /** What was done to it, in order. */
  done: string[] = []
  is = { maximized: false, fullScreen: false }
  readonly options: object
  constructor(options: object) {
    super()
    this.options = options
  }
  loadURL = (url: string) => Promise.resolve(this.done.push(url))
  maximize = () => this.done.push('maximize')
  getNormalBounds = () => bounds
  isMaximized = () => this.is.maximized
  isFullScreen = () => this.is.fullScreen
}
const nativeTheme = { themeSource: '', shouldUseDarkColors: true }
vi.mock('electron', () => ({
  BrowserWindow: FakeWindow,
  nativeTheme,
  screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1_920, height: 1_080 } }] },
}))
const { openWindow } = await import('#electron/hosts/electron/window.ts')

/** The window over a kept placement. */
function open(kept?: object) {
  const dataDir = tempFolder()
  const file = join(dataDir, 'window.json')
  if (kept) writeFileSync(file, JSON.stringify(kept))
  const session = {} as never
  const window = openWindow({ session, preload: '', dataDir, packaged: true, log: quietLog })
  return { window: window as unknown as FakeWindow, file }
}
const placement = { ...bounds, position: { x: 40, y: 50 }, zoomLevel: 1.5, theme: 'light' }

test('opens at its last place, zoom and theme', () => {
  const { window } = open({ ...placement, maximized: true, fullScreen: true })
  expect(window.options).toMatchObject({ ...bounds, fullscreen: true })
  expect(nativeTheme.themeSource).toBe('light')
  expect(window.done).toEqual(['maximize', 'app://console/'])
  window.webContents.emit('did-finish-load')
  expect(window.webContents.setZoomLevel).toHaveBeenCalledWith(1.5)
})

test('opens in the middle without a place, or where its screen is gone', () => {
  expect(open().window.options).toMatchObject({ width: 1_440, height: 900 })
  const { options } = open({ ...placement, position: { x: 9_000, y: 50 } }).window
  expect(options).toMatchObject({ width: 1_000 })
  expect(options).not.toHaveProperty('x')
})

test.each(['resize', 'move', 'maximize', 'unmaximize', 'enter-full-screen', 'leave-full-screen'])(
  'keeps its place for this user only, soon after %s, so that a crash loses nothing',
  async (event) => {
    const is = { maximized: event === 'maximize', fullScreen: event === 'enter-full-screen' }
    const { window, file } = open()
    window.is = is
    window.emit(event)
    await expect.poll(() => existsSync(file)).toBe(true)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      width: 1_000,
      height: 700,
      position: { x: 40, y: 50 },
      ...is,
      zoomLevel: 1.5,
      theme: 'system',
    })
    expect(statSync(file).mode & 0o077).toBe(0)
  },
)

test('keeps its place when it closes', () => {
  const { window, file } = open()
  window.emit('close')
  expect(existsSync(file)).toBe(true)
})
