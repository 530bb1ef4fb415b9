import { chromium, type CDPSession, type Page } from '@playwright/test'
import { setTimeout } from 'node:timers/promises'
import { chromiumPath } from '../helpers/chromium.ts'
import { startConsole } from '../helpers/start-console.ts'
import type { BenchResult } from './bench-result.ts'
import { percentile } from './figures.ts'
import { secret } from './listener/messages.ts'
import { openLoad } from './listener/open-load.ts'

/**
 * Live events in a browser while the console receives thousands of signed deliveries a second: frames, age of what it shows, and memory.
 */
const seconds = Number(process.env['RENDERER_SECONDS'] ?? 600)
const perSecond = Number(process.env['RENDERER_RATE'] ?? 5_000)
const warmUpSeconds = 10
const connections = 64
const lookEveryMs = 50

/** What the page records. */
interface Seen {
  /** Milliseconds between frames. */
  frames: number[]
  /** Age of the newest listed event, milliseconds, with the time of each sample. */
  list: { atMs: number; ageMs: number }[]
  /** The chart’s sum of events, with the time of each sample. */
  chart: { atMs: number; total: number }[]
}

/** Runs in the page. */
function observe(everyMs: number): void {
  const seen: Seen = { frames: [], list: [], chart: [] }
  Object.assign(window, { seen })
  let last = performance.now()
  const frame = (now: number) => {
    seen.frames.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  setInterval(() => {
    const newest = document.querySelector<HTMLTimeElement>('[role=grid] [role=row] time')?.dateTime
    const atMs = Date.now()
    if (newest) seen.list.push({ atMs, ageMs: atMs - Date.parse(newest) })
    const counts = [...document.querySelectorAll('.live-chart .legend strong')]
    const total = counts.reduce((sum, { textContent }) => sum + Number(textContent.replaceAll(/\D/g, '')), 0)
    seen.chart.push({ atMs, total })
  }, everyMs)
}

async function heapMiB(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value / 2 ** 20
}

const takeSeen = (page: Page) =>
  page.evaluate(() => {
    const { seen } = window as unknown as { seen: Seen }
    const taken = { ...seen }
    Object.assign(seen, { frames: [], list: [], chart: [] })
    return taken
  })

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

/** How far the list lags behind arrivals, at each sample: zero before the first arrival of the load. */
const listAges = (list: Seen['list'], sinceMs: number): number[] =>
  list.filter(({ atMs }) => atMs > sinceMs).map(({ atMs, ageMs }) => Math.min(ageMs, atMs - sinceMs))

export async function run(): Promise<BenchResult> {
  await using running = await startConsole()
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  try {
    const { rpc } = running
    await rpc.connections.connect({
      name: 'Bench',
      baseUrl: 'http://127.0.0.1:9/v1',
      colour: 'blue',
      production: false,
      evenOffline: true,
      credential: { kind: 'api-key', apiKey: 'none' },
    })
    await rpc.listener.addSecret({ label: 'bench', value: secret })
    const port = Number(new URL((await rpc.listener.get()).status.url!).port)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(running.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(`${running.origin}/#/events`)
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
