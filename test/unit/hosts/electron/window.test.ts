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
const { isOnScreen, openWindow, parsePlacement } = await import('#electron/hosts/electron/window.ts')

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

const left = { x: 0, y: 0, width: 1_920, height: 1_040 }
const right = { x: 1_920, y: -200, width: 2_560, height: 1_400 }

test.each([
  ['snapped to the left edge on Windows', { x: -7, y: 0 }, [left], true],
  ['manually stretched over the edges', { x: -8, y: -8 }, [left], true],
  ['half off the right edge', { x: 1_500, y: 100 }, [left], true],
  ['across two screens', { x: 1_900, y: 100 }, [left, right], true],
  ['on a screen above the main one', { x: 2_000, y: -150 }, [left, right], true],
  ['on an unplugged screen', { x: 2_000, y: 100 }, [left], false],
  ['with only a sliver visible', { x: 1_900, y: 100 }, [left], false],
  ['with its title bar above every screen', { x: 100, y: -40 }, [left], false],
  ['with its title bar below every screen', { x: 100, y: 1_035 }, [left], false],
])('a window %s', (_where, position, screens, expected) => {
  expect(isOnScreen({ ...position, width: 1_000 }, screens)).toBe(expected)
})

test('ignores a damaged or foreign placement file', () => {
  for (const text of ['', '{', 'null', '[]', '{"width":"1","height":2}'])
    expect(parsePlacement(text)).toBeNull()
  expect(parsePlacement('{"width":900,"height":600,"position":{"x":1.5,"y":0},"maximized":1}')).toEqual({
    width: 900,
    height: 600,
    position: null,
    maximized: false,
    fullScreen: false,
    zoomLevel: 0,
    theme: 'system',
  })
})

test('clamps zoom and replaces an unknown theme', () => {
  const read = (look: object) => parsePlacement(JSON.stringify({ width: 900, height: 600, ...look }))
  expect(read({ zoomLevel: 1.5, theme: 'dark' })).toMatchObject({ zoomLevel: 1.5, theme: 'dark' })
  expect(read({ zoomLevel: 99, theme: 'sepia' })).toMatchObject({ zoomLevel: 9, theme: 'system' })
  expect(read({ zoomLevel: '2' })).toMatchObject({ zoomLevel: 0 })
})
