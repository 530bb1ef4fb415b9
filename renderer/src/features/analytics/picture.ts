import { plotEdgesPx } from '../../shared/charts/chart-frame.ts'
import type { GapSpan } from '../../shared/charts/gap-spans.ts'
import { type Palette, fontUi } from '../../shared/theme/tokens.ts'

/** What the page shows around a plot. */
export interface PictureParts {
  title: string
  legend: readonly { label: string; colour: string; isDashed?: boolean }[]
  gaps: readonly GapSpan[]
  gapLabel: string
}

const headPx = 46
const edgePx = 8
const swatchPx = 8
const dashedPx = 12
const gapPx = 14

/** A chart as a PNG with title, legend and gaps, which the page draws outside the plot. `plot` is `pixelRatio` times its size. */
export function pictureOf(
  plot: HTMLCanvasElement,
  pixelRatio: number,
  { title, legend, gaps, gapLabel }: PictureParts,
  palette: Palette,
): Promise<Blob | null> {
  const widthPx = plot.width / pixelRatio
  const heightPx = plot.height / pixelRatio
  const canvas = document.createElement('canvas')
  canvas.width = plot.width
  canvas.height = plot.height + headPx * pixelRatio
  const context = canvas.getContext('2d')
  if (!context) return Promise.resolve(null)
  context.scale(pixelRatio, pixelRatio)
  context.fillStyle = palette.surface
  context.fillRect(0, 0, widthPx, headPx + heightPx)
  context.drawImage(plot, 0, headPx, widthPx, heightPx)

  context.textBaseline = 'middle'
  context.fillStyle = palette.text
  context.font = `600 13px ${fontUi}`
  context.fillText(title, edgePx, 14)
  context.font = `12px ${fontUi}`
  const gapColour = (isProven: boolean) => (isProven ? palette.warn : palette.quiet)
  const entries: PictureParts['legend'] =
    gaps.length > 0
      ? [...legend, { label: gapLabel, colour: gapColour(gaps.some(({ proven }) => proven)) }]
      : legend
  let leftPx = edgePx
  for (const { label, colour, isDashed } of entries) {
    context.fillStyle = colour
    if (isDashed) {
      for (let dashPx = 0; dashPx < dashedPx; dashPx += 5) context.fillRect(leftPx + dashPx, 34, 3, 1)
      leftPx += dashedPx + 5
    } else {
      context.fillRect(leftPx, 30, swatchPx, swatchPx)
      leftPx += swatchPx + 5
    }
    context.fillStyle = palette.textMuted
    context.fillText(label, leftPx, 34.5)
    leftPx += context.measureText(label).width + gapPx
  }

  const plotPx = widthPx - plotEdgesPx.left - plotEdgesPx.right
  context.globalAlpha = 0.35
  for (const { left, width, proven } of gaps) {
    context.fillStyle = gapColour(proven)
    context.fillRect(
      plotEdgesPx.left + plotPx * left,
      headPx + plotEdgesPx.top,
      Math.max(2, plotPx * width),
      heightPx - plotEdgesPx.top - plotEdgesPx.bottom,
    )
  }
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}
