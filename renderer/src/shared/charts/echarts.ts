import { BarChart, type BarSeriesOption, LineChart, type LineSeriesOption } from 'echarts/charts'
import {
  GridComponent,
  type GridComponentOption,
  TooltipComponent,
  type TooltipComponentOption,
} from 'echarts/components'
import { type ComposeOption, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

use([BarChart, LineChart, GridComponent, TooltipComponent, CanvasRenderer])

/** The chart parts we use; only these are registered. */
export type ChartOption = ComposeOption<
  BarSeriesOption | LineSeriesOption | GridComponentOption | TooltipComponentOption
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
