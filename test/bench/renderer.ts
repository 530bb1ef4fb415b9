import { chromium, type CDPSession } from '@playwright/test'
import { setTimeout } from 'node:timers/promises'
import { chromiumPath } from '../helpers/chromium.ts'
import { startConsole } from '../helpers/start-console.ts'
import type { BenchResult } from './bench-result.ts'
import { percentile } from './figures.ts'
import {
  connectForLoad,
  listAges,
  lookEveryMs,
  observe,
  openLiveEvents,
  type Seen,
  takeSeen,
} from './live-events-page.ts'
import { openLoad } from './listener/open-load.ts'

/**
 * Live events in a browser while the console receives thousands of signed deliveries a second: frames, age of what it shows, and memory.
 */
const seconds = Number(process.env['RENDERER_SECONDS'] ?? 600)
const perSecond = Number(process.env['RENDERER_RATE'] ?? 5_000)
const warmUpSeconds = 10
const connections = 64

async function heapMiB(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value / 2 ** 20
}

/** How long ago the chart’s number of events was acknowledged, at each sample. */
function chartAges(chart: Seen['chart'], acknowledged: { atMs: number; count: number }[]): number[] {
  let at = 0
  return chart.map(({ atMs, total }) => {
    while (at < acknowledged.length && acknowledged[at]!.count <= total) at++
    // Everything acknowledged before this time is in the chart.
    const next = acknowledged[at]
    return next && next.atMs < atMs ? atMs - next.atMs : 0
  })
}

export async function run(): Promise<BenchResult> {
  await using running = await startConsole()
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  try {
    const { rpc } = running
    await connectForLoad(running)
    const port = Number(new URL((await rpc.listener.get()).status.url!).port)
    const page = await openLiveEvents(browser, running)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable')
    await openLoad({ port, connections, count: warmUpSeconds * perSecond, perSecond })
    const before = await heapMiB(cdp)
    await page.evaluate(observe, lookEveryMs)
    await setTimeout(3_000)
    const { total: start } = (await takeSeen(page)).chart.at(-1)!
    const warmUp = warmUpSeconds * perSecond
    if (start !== warmUp) throw new Error(`${warmUp} arrived, the chart shows ${start}`)

    const acknowledged: { atMs: number; count: number }[] = []
    const load = await openLoad({
      port,
      connections,
      count: seconds * perSecond,
      perSecond,
      onAcknowledged: (count) => acknowledged.push({ atMs: Date.now(), count: start + count }),
    })
    const seen = await takeSeen(page)
    const grownMiB = (await heapMiB(cdp)) - before
    const lists = listAges(seen.list, acknowledged[0]!.atMs)
    const charts = chartAges(seen.chart, acknowledged)
    const line = (values: readonly number[]) =>
      `median ${percentile(values, 0.5).toFixed(0)}, p99 ${percentile(values, 0.99).toFixed(0)}, longest ${percentile(values, 1).toFixed(0)} ms`
    return {
      name: `Live events while ${perSecond.toLocaleString('en')} deliveries/s arrive, for ${seconds} s`,
      lines: [
        `acknowledged ${load.acknowledged.toLocaleString('en')} in time: ${line(load.tookMs)}; ${load.wrong} not answered with 200`,
        `frames: ${line(seen.frames)}`,
        `age of the newest listed event: ${line(lists)}`,
        `chart: ${line(charts)} old`,
        `page heap: ${before.toFixed(0)} MiB, plus ${grownMiB.toFixed(1)} MiB at the end`,
      ],
      targets: [
        { name: 'frame p99, ms', value: percentile(seen.frames, 0.99), bound: { below: 50 } },
        {
          name: 'age of the list, p99, ms',
          value: percentile(lists, 0.99),
          bound: { below: 250 },
        },
        { name: 'age of the chart, p99, ms', value: percentile(charts, 0.99), bound: { below: 250 } },
        { name: 'heap growth, MiB', value: grownMiB, bound: { below: 10 } },
        { name: 'not answered with 200', value: load.wrong, bound: { below: 1 } },
      ],
    }
  } finally {
    await browser.close()
  }
}
