/**
 * `node resources/packaging/make-icons.ts <chromium>` draws the icons of all systems from
 * resources/public/icon.svg.
 */
import { chromium } from '@playwright/test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const svg = readFileSync(join(here, '../public/icon.svg')).toString('base64')
const executablePath = process.argv[2]
const browser = await chromium.launch({ args: ['--no-sandbox'], ...(executablePath && { executablePath }) })
const page = await browser.newPage()

/** The icon as PNG, `size` pixels wide, with an empty `margin` (fraction) on each side. */
async function draw(size: number, margin = 0): Promise<Buffer> {
  await page.setViewportSize({ width: size, height: size })
  const edge = Math.round(size * margin)
  await page.setContent(
    `<body style="margin:${edge}px"><img width="${size - 2 * edge}" style="display:block" src="data:image/svg+xml;base64,${svg}">`,
  )
  await page.locator('img').evaluate((image: HTMLImageElement) => image.decode())
  return page.screenshot({ omitBackground: true, clip: { x: 0, y: 0, width: size, height: size } })
}

/** An .ico of PNG images (Windows Vista and later). */
function ico(images: { size: number; png: Buffer }[]): Buffer {
  const head = Buffer.alloc(6 + 16 * images.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(images.length, 4)
  let offset = head.length
  images.forEach(({ size, png }, index) => {
    const entry = 6 + 16 * index
    // 0 means 256.
    head[entry] = head[entry + 1] = size % 256
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += png.length
  })
  return Buffer.concat([head, ...images.map(({ png }) => png)])
}

/** An .icns of PNG images. */
function icns(images: { type: string; png: Buffer }[]): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const head = Buffer.alloc(8)
    head.write(type)
    head.writeUInt32BE(8 + body.length, 4)
    return Buffer.concat([head, body])
  }
  return chunk('icns', Buffer.concat(images.map(({ type, png }) => chunk(type, png))))
}

mkdirSync(join(here, 'icons'), { recursive: true })
for (const size of [16, 24, 32, 48, 64, 128, 256, 512, 1024]) {
  writeFileSync(join(here, 'icons', `${size}x${size}.png`), await draw(size))
}

const icoSizes = [16, 24, 32, 48, 64, 128, 256]
writeFileSync(
  join(here, 'icon.ico'),
  ico(icoSizes.map((size) => ({ size, png: readFileSync(join(here, 'icons', `${size}x${size}.png`)) }))),
)

// Apple's grid: the shape takes 824 of 1024 pixels. The types are those of a Retina icon set.
const macMargin = 100 / 1024
const macTypes = {
  icp4: 16,
  ic11: 32,
  icp5: 32,
  ic12: 64,
  ic07: 128,
  ic13: 256,
  ic08: 256,
  ic14: 512,
  ic09: 512,
  ic10: 1024,
}
const macImages: { type: string; png: Buffer }[] = []
for (const [type, size] of Object.entries(macTypes))
  macImages.push({ type, png: await draw(size, macMargin) })
writeFileSync(join(here, 'icon.icns'), icns(macImages))
await browser.close()
