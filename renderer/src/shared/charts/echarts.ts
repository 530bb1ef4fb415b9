import { BarChart, type BarSeriesOption, LineChart, type LineSeriesOption } from 'echarts/charts'
import {
  GraphicComponent,
  type GraphicComponentOption,
  GridComponent,
  type GridComponentOption,
  LegendComponent,
  type LegendComponentOption,
  TitleComponent,
  type TitleComponentOption,
  TooltipComponent,
  type TooltipComponentOption,
} from 'echarts/components'
import { type ComposeOption, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { type Palette, fontUi } from '../theme/tokens.ts'
import { plotEdgesPx } from './chart-frame.ts'
import type { GapSpan } from './gap-spans.ts'

use([
  BarChart,
  LineChart,
  GraphicComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
  CanvasRenderer,
])

/** The chart parts we use; only these are registered. */
export type ChartOption = ComposeOption<
  | BarSeriesOption
  | LineSeriesOption
  | GraphicComponentOption
  | GridComponentOption
  | LegendComponentOption
  | TitleComponentOption
  | TooltipComponentOption
>

/** Creates a chart on `element`, which must have a size. */
export function createChart(element: HTMLElement) {
  const chart = init(element, null, { renderer: 'canvas' })
  // By default it asks for ten more frames after each change: 45 a second while five changes a second arrive.
  const { animation } = chart.getZr()
  chart.getZr().on('rendered', () => animation.isFinished() && animation.stop())
  return chart
}
export type Chart = ReturnType<typeof createChart>

const pictureWidthPx = 960
const pictureHeightPx = 320
/** For the title and the legend. */
const headPx = 46

/** A chart as a PNG, with title, legend and gaps, which the page draws outside of it. */
export function pictureOf(
  option: ChartOption,
  { title, gaps, gapLabel }: { title: string; gaps: readonly GapSpan[]; gapLabel: string },
  palette: Palette,
): Promise<Blob | null> {
  const chart = init(document.createElement('div'), null, { width: pictureWidthPx, height: pictureHeightPx })
  const gapColour = (isProven: boolean) => (isProven ? palette.warn : palette.quiet)
  const { left, right, top, bottom } = plotEdgesPx
  const plotWidthPx = pictureWidthPx - left - right
  const font = { fontFamily: fontUi, fontSize: 12 }
  chart.setOption(option)
  chart.setOption({
    backgroundColor: palette.surface,
    title: {
      text: title,
      left: 3,
      top: 2,
      textStyle: { ...font, fontSize: 13, fontWeight: 600, color: palette.text },
    },
    legend: {
      left: 3,
      top: 22,
      itemHeight: 8,
      itemWidth: 14,
      textStyle: { ...font, color: palette.textMuted },
    },
    grid: { top: headPx + top },
    // A series without data, for its legend.
    series:
      gaps.length === 0
        ? []
        : [
            {
              type: 'line',
              id: ' gaps',
              name: gapLabel,
              data: [],
              symbol: 'rect',
              lineStyle: { width: 0 },
              color: gapColour(gaps.some(({ proven }) => proven)),
            },
          ],
    graphic: gaps.map((gap) => ({
      type: 'rect',
      shape: {
        x: left + plotWidthPx * gap.left,
        y: headPx + top,
        width: Math.max(2, plotWidthPx * gap.width),
        height: pictureHeightPx - headPx - top - bottom,
      },
      style: { fill: gapColour(gap.proven), opacity: 0.35 },
      silent: true,
    })),
  })
  const canvas = chart.renderToCanvas({ pixelRatio: 2 })
  chart.dispose()
  return new Promise((done) => canvas.toBlob(done, 'image/png'))
}
