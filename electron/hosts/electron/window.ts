import { BrowserWindow, nativeTheme, screen, type Session } from 'electron'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../lib/log.ts'
import { secureWebPreferences } from './security/web-preferences.ts'

/** Where the window was, in device-independent pixels. */
interface Placement {
  width: number
  height: number
  position: { x: number; y: number } | null
  maximized: boolean
}

const firstPlacement: Placement = { width: 1440, height: 900, position: null, maximized: false }

/** Opens the console's window where it was last, on a screen that still exists, and remembers where it is closed. */
export function openWindow(options: {
  session: Session
  preload: string
  dataDir: string
  packaged: boolean
  log: Log
}): BrowserWindow {
  const stateFile = join(options.dataDir, 'window.json')
  const { width, height, position, maximized } = readPlacement(stateFile)
  const window = new BrowserWindow({
    ...(position !== null && isOnScreen(position) ? position : {}),
    width,
    height,
    minWidth: 900,
    minHeight: 600,
    show: false,
    title: 'Switchboard',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#14171c' : '#f6f7f9',
    webPreferences: { ...secureWebPreferences(options.preload, options.packaged), session: options.session },
  })
  if (maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  window.on('close', () => {
    const bounds = window.getNormalBounds()
    const placement: Placement = {
      width: bounds.width,
      height: bounds.height,
      position: { x: bounds.x, y: bounds.y },
      maximized: window.isMaximized(),
    }
    try {
      writeFileSync(stateFile, JSON.stringify(placement), { mode: 0o600 })
    } catch (error) {
      options.log.warn('the place of the window could not be kept', { error })
    }
  })
  window
    .loadURL('app://console/')
    .catch((error: unknown) => options.log.error('the page did not load', { error }))
  return window
}

function readPlacement(file: string): Placement {
  try {
    const { width, height, position, maximized } = JSON.parse(readFileSync(file, 'utf8')) as Placement
    if (!Number.isInteger(width) || !Number.isInteger(height)) return firstPlacement
    const isPlaced = Number.isInteger(position?.x) && Number.isInteger(position?.y)
    return { width, height, position: isPlaced ? position : null, maximized: maximized === true }
  } catch {
    return firstPlacement
  }
}

/** False when a monitor was unplugged since. */
function isOnScreen({ x, y }: { x: number; y: number }): boolean {
  return screen
    .getAllDisplays()
    .some(
      ({ workArea: area }) =>
        x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height,
    )
}
