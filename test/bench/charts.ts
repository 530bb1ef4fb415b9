import { init } from 'echarts'
import { resolve } from 'node:path'
import { createServer } from 'vite'
import { compileCatalogues } from '../../renderer/compile-catalogues.ts'
import type * as ChartOptions from '../../renderer/src/features/analytics/chart-options.ts'
import type * as LocalSheets from '../../renderer/src/features/analytics/local-sheets.ts'
import type { ChartOption } from '../../renderer/src/shared/charts/echarts.ts'
import { palettes } from '../../renderer/src/shared/theme/tokens.ts'
import { ordinaryLocal } from '../helpers/scripted/analytics.ts'
import type { BenchResult } from './bench-result.ts'
import { median, percentile } from './figures.ts'

/**
 * The largest chart of Analytics: 30 days by hour, stacked by status, with the previous 30 days. Drawn without a browser as SVG, which
 * costs more than a canvas. Compared with an empty frame of the same library. Measured in processor time, so that other load doesn’t
 * count.
 */
const rounds = 20
const hourMs = 3_600_000

function drawn(option: ChartOption): number {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 700, height: 230 })
  const started = process.cpuUsage()
  chart.setOption(option)
  chart.renderToSVGString()
  const { user, system } = process.cpuUsage(started)
  chart.dispose()
  return (user + system) / 1_000
}

/** Vite loads the page’s modules, whose catalogues need its `import.meta.glob`. */
async function pageModules() {
  const vite = await createServer({
    configFile: false,
    root: resolve(import.meta.dirname, '../..'),
    logLevel: 'error',
    plugins: [compileCatalogues()],
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  })
  const load = (file: string) => vite.ssrLoadModule(`/renderer/src/features/analytics/${file}`)
  try {
    const options = (await load('chart-options.ts')) as typeof ChartOptions
    const sheets = (await load('local-sheets.ts')) as typeof LocalSheets
    return { arrivalsOption: options.arrivalsOption, arrivalsSheet: sheets.arrivalsSheet }
  } finally {
    await vite.close()
  }
}

export async function run(): Promise<BenchResult> {
  const { arrivalsOption, arrivalsSheet } = await pageModules()
  const span = (from: string, to: string) => ordinaryLocal({ from, to, bucketMs: hourMs })
  const now = span('2026-01-01T00:00:00Z', '2026-01-31T00:00:00Z')
  const before = span('2025-12-02T00:00:00Z', '2026-01-01T00:00:00Z')
  const option = () => arrivalsOption(now, before, palettes.dark)
  drawn(option())
  const frames = Array.from({ length: rounds }, () => drawn({ xAxis: {}, yAxis: {}, series: [] }))
  const tookMs = Array.from({ length: rounds }, () => {
    const startedMs = performance.now()
    const made = option()
    const madeMs = performance.now() - startedMs
    return madeMs + drawn(made)
  })
  const startedMs = performance.now()
  const { rows } = arrivalsSheet(now, before)
  const sheetMs = performance.now() - startedMs
  const middle = median(tookMs)
  return {
    name: 'A chart of 30 days by hour with the previous period',
    lines: [
      `drawn: median ${middle.toFixed(1)} ms, p95 ${percentile(tookMs, 0.95).toFixed(1)} ms; an empty frame ${median(frames).toFixed(1)} ms`,
      `its table of ${rows.length} rows: ${sheetMs.toFixed(1)} ms`,
    ],
    targets: [{ name: 'drawn, median, ms', value: middle, bound: { below: 100 } }],
  }
}
