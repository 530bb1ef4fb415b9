import { type Palette, fontUi } from '../theme/tokens.ts'

/** With more buckets, bars would be too thin: an area is drawn. */
export const mostBars = 400
/** Room for the largest axis label, so that the plot doesn’t shift when figures grow. Pixels. */
const axisWidthPx = 44
/** The plot’s distance from the edges, pixels. Fixed, so that things can be laid over it. */
export const plotEdgesPx = { left: axisWidthPx, right: 12, top: 10, bottom: 24 } as const

/** Axis ends within a power of ten: halves of them are short to write. */
const axisSteps = [1, 2, 3, 4, 6, 8, 10]

/** The next of `axisSteps` × 10ⁿ at or above `value`, at least 4: an axis end that rarely moves. */
export function axisEnd(value: number): number {
  if (value <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(value))
  const step = axisSteps.find((factor) => factor * power >= value) ?? 10
  return step * power
}

/** A count as an axis label: `950`, `12k`, `1.5M`. */
export function shortCount(value: number): string {
  if (value < 1_000) return String(value)
  if (value < 1_000_000) return `${+(value / 1_000).toFixed(1)}k`
  return `${+(value / 1_000_000).toFixed(1)}M`
}

const axisText = (palette: Palette) => ({ color: palette.textMuted, fontFamily: fontUi, fontSize: 11 })

/** Common to all charts: no animation, fixed edges, and a tooltip drawn on the canvas, so that text from the data is never read as HTML. */
export const chartFrame = (palette: Palette, pointer: 'line' | 'shadow') => ({
  animation: false,
  textStyle: { fontFamily: fontUi },
  grid: { ...plotEdgesPx, containLabel: false },
  tooltip: {
    trigger: 'axis' as const,
    renderMode: 'richText' as const,
    confine: true,
    transitionDuration: 0,
    axisPointer: { type: pointer, animation: false },
    backgroundColor: palette.raised,
    borderColor: palette.border,
    textStyle: { color: palette.text, fontFamily: fontUi, fontSize: 12 },
  },
})

export function valueAxis(palette: Palette, highest: number) {
  const end = axisEnd(highest)
  return {
    type: 'value' as const,
    min: 0,
    max: end,
    interval: end / 2,
    axisLabel: {
      ...axisText(palette),
      width: axisWidthPx - 8,
      overflow: 'truncate' as const,
      formatter: shortCount,
    },
    splitLine: { lineStyle: { color: palette.border } },
  }
}

/** The axis below. `label` is the library’s: which texts show, and how. */
export const baseAxis = (palette: Palette, label: object) => ({
  axisLine: { lineStyle: { color: palette.border } },
  axisTick: { show: false },
  axisLabel: { ...axisText(palette), hideOverlap: true, ...label },
})

export const bar = { type: 'bar' as const, barCategoryGap: '15%', barMinWidth: 1 }
export const area = {
  type: 'line' as const,
  symbol: 'none',
  lineStyle: { width: 1 },
  areaStyle: { opacity: 0.5 },
}
