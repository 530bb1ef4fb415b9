/** The window's last place (device-independent pixels, as when not maximized), zoom and theme. */
export interface Placement {
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
