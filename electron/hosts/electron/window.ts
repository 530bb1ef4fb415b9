import { BrowserWindow, nativeTheme, screen, type Session } from 'electron'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { isOnScreen, parsePlacement, type Placement } from './placement.ts'
import { secureWebPreferences } from './security/web-preferences.ts'

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
