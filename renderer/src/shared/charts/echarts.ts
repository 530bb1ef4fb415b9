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

/** What a chart of ours may be made of: the parts registered here, and no others. */
export type ChartOption = ComposeOption<
  BarSeriesOption | LineSeriesOption | GridComponentOption | TooltipComponentOption
>

/** Puts a chart on `element`, which must have a size. */
export function createChart(element: HTMLElement) {
  return init(element, null, { renderer: 'canvas' })
}
export type Chart = ReturnType<typeof createChart>
