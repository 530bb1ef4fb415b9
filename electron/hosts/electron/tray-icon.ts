import { type NativeImage, nativeImage } from 'electron'
import type { TrayState } from './tray-look.ts'

/** Icon size in device-independent pixels, and scales of displays. */
const sideDip = 16
const scales = [1, 1.5, 2, 3]
/** Samples per pixel and axis, for smooth edges. */
const samples = 4

/** Red, green and blue of each state. */
const colours: Record<TrayState, readonly [number, number, number]> = {
  listening: [94, 205, 113],
  trouble: [240, 170, 68],
  offline: [150, 150, 150],
}

/** Whether to draw a point, in device-independent pixels from the centre. States differ in shape and colour. */
const shapes: Record<TrayState, (x: number, y: number) => boolean> = {
  listening: (x, y) => Math.hypot(x, y) <= 6,
  trouble: (x, y) => {
    const isMark = Math.abs(x) <= 1 && ((y >= -4 && y <= 1) || (y >= 2.2 && y <= 4.2))
    return Math.hypot(x, y) <= 6.5 && !isMark
  },
  offline: (x, y) => Math.hypot(x, y) <= 6 && Math.hypot(x, y) >= 4,
}

/** Premultiplied BGRA for `createFromBitmap`. A template image is black; macOS chooses the colour. */
export function trayPixels(state: TrayState, scale: number, isTemplate: boolean): Buffer {
  const sidePx = Math.round(sideDip * scale)
  const [red, green, blue] = isTemplate ? [0, 0, 0] : colours[state]
  const isDrawn = shapes[state]
  const pixels = Buffer.alloc(sidePx * sidePx * 4)
  const dip = (px: number, sample: number) => (px + (sample + 0.5) / samples) / scale - sideDip / 2
  for (let y = 0; y < sidePx; y++)
    for (let x = 0; x < sidePx; x++) {
      let hits = 0
      for (let i = 0; i < samples; i++)
        for (let j = 0; j < samples; j++) if (isDrawn(dip(x, i), dip(y, j))) hits++
      const cover = hits / samples ** 2
      pixels.set([blue * cover, green * cover, red * cover, 255 * cover], (y * sidePx + x) * 4)
    }
  return pixels
}

/** Sizes of the icon. Windows takes only the first and scales it (electron#33044), so there it is large. */
export function trayBitmaps(platform: NodeJS.Platform): { sidePx: number; scaleFactor: number }[] {
  if (platform === 'win32') return [{ sidePx: sideDip * 3, scaleFactor: 1 }]
  return scales.map((scaleFactor) => ({ sidePx: Math.round(sideDip * scaleFactor), scaleFactor }))
}

/** Drawn here, so no file needs to ship. */
export function trayIcon(state: TrayState): NativeImage {
  const isTemplate = process.platform === 'darwin'
  const [first, ...denser] = trayBitmaps(process.platform).map(({ sidePx, scaleFactor }) => ({
    scaleFactor,
    width: sidePx,
    height: sidePx,
    buffer: trayPixels(state, sidePx / sideDip, isTemplate),
  }))
  const image = nativeImage.createFromBitmap(first!.buffer, first!)
  for (const each of denser) image.addRepresentation(each)
  image.setTemplateImage(isTemplate)
  return image
}
