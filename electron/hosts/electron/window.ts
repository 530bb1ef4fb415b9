import { BrowserWindow, nativeTheme, screen, type Session } from 'electron'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { secureWebPreferences } from './security/web-preferences.ts'

/** The window's last place (device-independent pixels, as when not maximized), zoom and theme. */
interface Placement {
  width: number
  height: number
  position: { x: number; y: number } | null
  maximized: boolean
  fullScreen: boolean
  /** Chromium's own copy is per site. */
  zoomLevel: number
  /** The core reports the theme only after the window has painted. */
  theme: Theme
}

type Theme = 'system' | 'dark' | 'light'
const themes: readonly Theme[] = ['system', 'dark', 'light']
/** Chromium's limits: 25 % and 500 %. */
const zoomLevels = { least: -7, most: 9 }

interface Area {
  x: number
  y: number
  width: number
  height: number
}

/** How much of the title bar must be on a screen to be grabbed. */
const titleBarHeight = 32
const gripWidth = 100
const gripHeight = 16

/** Reads `window.json`. Null for anything that isn't a placement. */
export function parsePlacement(text: string): Placement | null {
  let read: Partial<Placement> | null
  try {
    read = JSON.parse(text) as Partial<Placement> | null
  } catch {
    return null
  }
  const { width, height, position, maximized, fullScreen, zoomLevel, theme } = read ?? {}
  if (!Number.isInteger(width) || !Number.isInteger(height)) return null
  const isPlaced = Number.isInteger(position?.x) && Number.isInteger(position?.y)
  return {
    width: width!,
    height: height!,
    position: isPlaced ? position! : null,
    maximized: maximized === true,
    fullScreen: fullScreen === true,
    zoomLevel: Number.isFinite(zoomLevel)
      ? Math.min(zoomLevels.most, Math.max(zoomLevels.least, zoomLevel!))
      : 0,
    theme: themes.find((each) => each === theme) ?? 'system',
  }
}

/**
 * True when the title bar is reachable on a screen. Partly is enough: Windows adds invisible borders, so a
 * window snapped to the left edge starts at x = -7.
 */
export function isOnScreen({ x, y, width }: Omit<Area, 'height'>, screens: readonly Area[]): boolean {
  const overlap = (start: number, size: number, areaStart: number, areaSize: number) =>
    Math.min(start + size, areaStart + areaSize) - Math.max(start, areaStart)
  return screens.some(
    (area) =>
      overlap(x, width, area.x, area.width) >= gripWidth &&
      overlap(y, titleBarHeight, area.y, area.height) >= gripHeight,
  )
}

const firstPlacement: Placement = {
  width: 1440,
  height: 900,
  position: null,
  maximized: false,
  fullScreen: false,
  zoomLevel: 0,
  theme: 'system',
}
/** Delay after the last change before the placement is saved. */
const restMs = 500

/**
 * Opens the window at its last place, if that screen still exists, and saves changes. Shown at once, in the page's colour: a hidden one may never paint on
 * Wayland (electron#48859).
 */
export function openWindow(options: {
  session: Session
  preload: string
  dataDir: string
  packaged: boolean
  log: Log
}): BrowserWindow {
  const stateFile = join(options.dataDir, 'window.json')
  const { width, height, position, maximized, fullScreen, zoomLevel, theme } = readPlacement(stateFile)
  nativeTheme.themeSource = theme
  const screens = screen.getAllDisplays().map(({ workArea }) => workArea)
  const window = new BrowserWindow({
    ...(position !== null && isOnScreen({ ...position, width }, screens) ? position : {}),
    width,
    height,
    minWidth: 900,
    minHeight: 600,
    // An explicit false would take the button away on a Mac.
    ...(fullScreen ? { fullscreen: true } : {}),
    title: 'Switchboard',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#14171c' : '#f6f7f9',
    webPreferences: { ...secureWebPreferences(options.preload, options.packaged), session: options.session },
  })
  window.webContents.once('did-finish-load', () => window.webContents.setZoomLevel(zoomLevel))
  if (maximized) window.maximize()
  rememberPlacement(window, stateFile, options.log)
  window
    .loadURL('app://console/')
    .catch((error: unknown) => options.log.error('The page did not load', { error }))
  return window
}

function readPlacement(file: string): Placement {
  try {
    return parsePlacement(readFileSync(file, 'utf8')) ?? firstPlacement
  } catch {
    return firstPlacement
  }
}

/** Saves shortly after each change and on close, so a crash doesn't lose the placement. */
function rememberPlacement(window: BrowserWindow, file: string, log: Log): void {
  let cancel = () => {}
  const write = () => {
    cancel()
    const { x, y, width, height } = window.getNormalBounds()
    const placement: Placement = {
      width,
      height,
      position: { x, y },
      maximized: window.isMaximized(),
      fullScreen: window.isFullScreen(),
      zoomLevel: window.webContents.getZoomLevel(),
      theme: nativeTheme.themeSource,
    }
    try {
      writeFileSync(file, JSON.stringify(placement), { mode: 0o600 })
    } catch (error) {
      log.warn('Could not save the window position', { error })
    }
  }
  const changed = () => {
    cancel()
    cancel = systemClock.after(restMs, write)
  }
  window.on('resize', changed)
  window.on('move', changed)
  window.on('maximize', changed)
  window.on('unmaximize', changed)
  window.on('enter-full-screen', changed)
  window.on('leave-full-screen', changed)
  window.on('close', write)
  window.on('closed', () => cancel())
}
