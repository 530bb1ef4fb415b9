import { BrowserWindow, nativeTheme, screen, type Session } from 'electron'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { secureWebPreferences } from './security/web-preferences.ts'

interface Bounds {
  x?: number
  y?: number
  width: number
  height: number
  maximized: boolean
}

const defaultBounds: Bounds = { width: 1440, height: 900, maximized: false }

/** Opens the console's window where it was last, on a screen that still exists, and remembers where it is closed. */
export function openWindow(options: {
  session: Session
  preload: string
  dataDir: string
  packaged: boolean
  icon: string
}): BrowserWindow {
  const stateFile = join(options.dataDir, 'window.json')
  const bounds = visible(readBounds(stateFile))
  const window = new BrowserWindow({
    x: bounds.x,
    y: bounds.y,
    width: bounds.width,
    height: bounds.height,
    minWidth: 900,
    minHeight: 600,
    show: false,
    title: 'Switchboard',
    icon: options.icon,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#14171c' : '#f6f7f9',
    webPreferences: { ...secureWebPreferences(options.preload, options.packaged), session: options.session },
  } as Electron.BrowserWindowConstructorOptions)
  if (bounds.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  window.on('close', () => {
    const { x, y, width, height } = window.getNormalBounds()
    writeFileSync(stateFile, JSON.stringify({ x, y, width, height, maximized: window.isMaximized() }), { mode: 0o600 })
  })
  void window.loadURL('app://console/')
  return window
}

function readBounds(file: string): Bounds {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Bounds>
    if (!Number.isFinite(value.width) || !Number.isFinite(value.height)) return defaultBounds
    return { ...defaultBounds, ...value }
  } catch {
    return defaultBounds
  }
}

/** Without a position when the remembered one lies on no screen (a monitor was unplugged). */
function visible(bounds: Bounds): Bounds {
  const { x, y } = bounds
  const onScreen =
    x !== undefined &&
    y !== undefined &&
    screen.getAllDisplays().some(({ workArea: area }) => x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height)
  if (onScreen) return bounds
  return { width: bounds.width, height: bounds.height, maximized: bounds.maximized }
}
