import { useResizeObserver } from '@vueuse/core'
import { type Ref, onScopeDispose, watch } from 'vue'
import type { Chart, ChartOption } from './echarts.ts'

/**
 * Keeps a chart of `option` on `element` until the calling component unmounts. The library loads with the first chart. The chart is
 * created once its element has a size, and follows that size.
 */
export function useChart(
  element: Ref<HTMLElement | null>,
  option: Ref<ChartOption | null>,
): {
  /** The current chart as an image at `pixelRatio`; null without a chart. */
  picture(pixelRatio: number): HTMLCanvasElement | null
} {
  let chart: Chart | undefined
  let drawnOn: HTMLElement | null = null
  let disposed = false

  useResizeObserver(element, ([entry]) => {
    const { width, height } = entry?.contentRect ?? { width: 0, height: 0 }
    if (width === 0 || height === 0) return
    if (chart && drawnOn === element.value) chart.resize({ width, height, animation: { duration: 0 } })
    else void create()
  })
  watch(option, draw)
  onScopeDispose(() => {
    disposed = true
    drop()
  })

  const picture = (pixelRatio: number): HTMLCanvasElement | null =>
    chart?.renderToCanvas({ pixelRatio }) ?? null

  async function create(): Promise<void> {
    const { createChart } = await import('./echarts.ts')
    const target = element.value
    if (disposed || !target || drawnOn === target || target.clientWidth === 0) return
    drop()
    chart = createChart(target)
    drawnOn = target
    draw()
  }

  function draw(): void {
    // At once, so that the chart shares a frame with what else changed.
    if (chart && option.value) chart.setOption(option.value, { replaceMerge: ['series'] })
  }

  function drop(): void {
    chart?.dispose()
    chart = undefined
    drawnOn = null
  }

  return { picture }
}
