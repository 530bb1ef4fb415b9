import type { Browser, Page } from '@playwright/test'
import type { RunningConsole } from '../helpers/start-console.ts'
import { secret } from './listener/messages.ts'

/** Looks at Live events in a browser while deliveries arrive. `npm run build` first. */
export const lookEveryMs = 50

/** A connection without a service, with the secret of the load. */
export async function connectForLoad({ rpc }: RunningConsole): Promise<void> {
  await rpc.connections.connect({
    name: 'Bench',
    baseUrl: 'http://127.0.0.1:9/v1',
    colour: 'blue',
    production: false,
    evenOffline: true,
    credential: { kind: 'api-key', apiKey: 'none' },
  })
  await rpc.listener.addSecret({ label: 'bench', value: secret })
}

export async function openLiveEvents(browser: Browser, running: RunningConsole): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(running.url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.goto(`${running.origin}/#/events`)
  return page
}

/** What the page records. */
export interface Seen {
  /** Milliseconds between frames. */
  frames: number[]
  /** Age of the newest listed event, milliseconds, with the time of each sample. */
  list: { atMs: number; ageMs: number }[]
  /** The chart’s sum of events, with the time of each sample. */
  chart: { atMs: number; total: number }[]
}

/** Runs in the page. */
export function observe(everyMs: number): void {
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

export const takeSeen = (page: Page) =>
  page.evaluate(() => {
    const { seen } = window as unknown as { seen: Seen }
    const taken = { ...seen }
    Object.assign(seen, { frames: [], list: [], chart: [] })
    return taken
  })

/** How far the list lags behind arrivals, at each sample: zero before the first arrival of the load. */
export const listAges = (list: Seen['list'], sinceMs: number): number[] =>
  list.filter(({ atMs }) => atMs > sinceMs).map(({ atMs, ageMs }) => Math.min(ageMs, atMs - sinceMs))
