/** The window's last place in device-independent pixels, zoom and theme. Size and position are those of the window when not maximized. */
export interface Placement {
  width: number
  height: number
  position: { x: number; y: number } | null
  maximized: boolean
  fullScreen: boolean
  /** Kept here with the rest of the window; Chromium's own copy is per site. */
  zoomLevel: number
  /** Stored here because the core knows it only after the window has painted. */
  theme: Theme
}

export type Theme = 'system' | 'dark' | 'light'
const themes: readonly Theme[] = ['system', 'dark', 'light']
/** Chromium's own zoom commands end there: 25 % and 500 %. */
const zoomLevels = { least: -7, most: 9 }

interface Area {
  x: number
  y: number
  width: number
  height: number
}

/** How much of the title bar must be on a screen so that a pointer can grab it. */
const titleBarHeight = 32
const gripWidth = 100
const gripHeight = 16

/** Reads what `window.json` holds. Null for anything that is not a placement. */
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
 * True when the title bar is reachable on a screen. Part of it is enough: Windows adds invisible borders, so a window snapped to
 * the left edge starts at x = -7.
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
