import { type CDPSession, type Page, chromium } from '@playwright/test'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromiumPath } from '../helpers/chromium.ts'
import { startConsole } from '../helpers/start-console.ts'
import type { BenchResult } from './bench-result.ts'
import { median, percentile } from './figures.ts'

/** From a click on another connection to its painted figures, in a browser without a graphics card, with events arriving at both. */
const rounds = Number(process.env['SWITCH_ROUNDS'] ?? 15)
const pages = ['overview', 'events', 'contacts']

const built = join(import.meta.dirname, '../../out')

/** Clicks the other connection in the open menu. Returns the milliseconds until its figures are painted. Runs in the page. */
function clickOther(): Promise<number> {
  const shownName = () => document.querySelector('.current .truncate')?.textContent
  const before = shownName()
  const startedMs = performance.now()
  document.querySelector<HTMLElement>('[popover]:popover-open button')!.click()
  return new Promise((done) => {
    const look = () => {
      const figure = document.querySelector('main .figure-row dd')?.textContent ?? '–'
      if (shownName() === before || figure === '–') return requestAnimationFrame(look)
      const channel = new MessageChannel()
      // A task after the frame: the frame is painted.
      channel.port1.onmessage = () => done(performance.now() - startedMs)
      return channel.port2.postMessage(null)
    }
    requestAnimationFrame(look)
  })
}

/** Processor time of the browser’s pages, milliseconds. Depends less than the wait on what else runs. */
async function processorMs(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const pages = processInfo.filter(({ type }) => type === 'renderer')
  return pages.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0)
}

async function switchFrom(page: Page, session: CDPSession, path: string, round: number) {
  await page.evaluate((to) => (location.hash = `#/${to}`), path)
  // Switches begin at all phases of the status stream, which sends four times a second.
  await setTimeout(700 + ((round * 83) % 250))
  await page.getByRole('button', { name: /^Connection/ }).click()
  await setTimeout(300)
  const before = await processorMs(session)
  const paintedMs = await page.evaluate(clickOther)
  return { paintedMs, processorMs: (await processorMs(session)) - before }
}

export async function run(): Promise<BenchResult> {
  process.env['SWITCHBOARD_TEST_HOST'] ??= join(built, 'main/node-host.js')
  await using running = await startConsole({
    sandbox: { ratePerSecond: 5 },
    rendererDir: join(built, 'renderer'),
  })
  const sandbox = running.sandbox!
  await running.rpc.connections.connect({
    name: 'Second',
    baseUrl: sandbox.baseUrl,
    colour: 'blue',
    production: false,
    credential: { kind: 'api-key', apiKey: sandbox.createApiKey(sandbox.tenants[1]!.username).key },
  })
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const session = await browser.newBrowserCDPSession()
    await page.goto(running.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const took = new Map(pages.map((path) => [path, [] as Awaited<ReturnType<typeof switchFrom>>[]]))
    // The first round loads the pages.
    for (let round = 0; round <= rounds; round++)
      for (const path of pages) {
        const one = await switchFrom(page, session, path, round)
        if (round > 0) took.get(path)!.push(one)
      }
    const painted = (path: string) => took.get(path)!.map(({ paintedMs }) => paintedMs)
    return {
      name: 'Click on another connection to its painted Overview',
      lines: [...took].map(([path, all]) => {
        const used = median(all.map((one) => one.processorMs)).toFixed(0)
        return `from ${path}: median ${median(painted(path)).toFixed(0)} ms (shortest ${percentile(painted(path), 0).toFixed(0)}, longest ${percentile(painted(path), 1).toFixed(0)}), page’s processor time ${used} ms`
      }),
      targets: pages.map((path) => ({
        name: `from ${path}, ms`,
        value: median(painted(path)),
        bound: { below: 150 },
      })),
    }
  } finally {
    await browser.close()
  }
}
