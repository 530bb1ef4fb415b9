import { chromium, type Page } from '@playwright/test'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromiumPath } from '../helpers/chromium.ts'
import { startConsole } from '../helpers/start-console.ts'
import type { BenchResult } from './bench-result.ts'
import { percentile } from './figures.ts'
import { serveBarePage } from './people/bare-page.ts'

/** From a click in the sidebar to the painted page without placeholders, with events arriving. */
const rounds = Number(process.env['PAGES_ROUNDS'] ?? 40)

const built = join(import.meta.dirname, '../../out')

/** Clicks a link of the navigation. Returns the milliseconds until its page is painted with its data. Runs in the page. */
function clickTo(path: string): Promise<number> {
  const link = document.querySelector<HTMLElement>(`nav a[href="#${path}"]`)!
  const title = link.querySelector('.truncate')?.textContent ?? link.textContent!
  const startedMs = performance.now()
  link.click()
  return new Promise((done) => {
    const look = () => {
      const heading = document.querySelector('main h1')?.textContent?.trim()
      const isLoading = document.querySelector('main [role=status] .row > .bar') !== null
      if (!heading || !title.includes(heading) || isLoading) return requestAnimationFrame(look)
      const channel = new MessageChannel()
      // A task after the frame: the frame is painted.
      channel.port1.onmessage = () => done(performance.now() - startedMs)
      return channel.port2.postMessage(null)
    }
    requestAnimationFrame(look)
  })
}

/** The same for a page without a framework: from an input to its painted rows. Runs in the page. */
function askBare(text: string): Promise<number> {
  const field = document.querySelector('input')!
  const startedMs = performance.now()
  field.value = text
  field.dispatchEvent(new Event('input'))
  return new Promise((done) =>
    new MutationObserver((_changes, observer) => {
      observer.disconnect()
      requestAnimationFrame(() => {
        const channel = new MessageChannel()
        channel.port1.onmessage = () => done(performance.now() - startedMs)
        channel.port2.postMessage(null)
      })
    }).observe(document.body, { childList: true, subtree: true }),
  )
}

async function measureBare(page: Page): Promise<number[]> {
  const server = await serveBarePage()
  await page.goto(server.url)
  await page.getByRole('row').first().waitFor()
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    took.push(await page.evaluate(askBare, `a${round}`))
    await setTimeout(50)
  }
  server.stop()
  return took
}

export async function run(): Promise<BenchResult> {
  process.env['SWITCHBOARD_TEST_HOST'] ??= join(built, 'main/node-host.js')
  await using running = await startConsole({
    sandbox: { ratePerSecond: 20, history: true },
    rendererDir: join(built, 'renderer'),
  })
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(running.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const paths = await page
      .locator('nav a[href^="#/"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')!.slice(1)))
    const took = new Map(paths.map((path) => [path, [] as number[]]))
    // The first round loads the pages.
    for (let round = 0; round <= rounds; round++)
      for (const path of paths) {
        const ms = await page.evaluate(clickTo, path)
        if (round > 0) took.get(path)!.push(ms)
        await setTimeout(200 + ((round * 83) % 250))
      }
    const bare = await measureBare(await browser.newPage({ viewport: { width: 1440, height: 900 } }))
    const text = (ms: readonly number[]) =>
      `median ${percentile(ms, 0.5).toFixed(0)}, p99 ${percentile(ms, 0.99).toFixed(0)} ms`
    return {
      name: 'Click in the sidebar to the painted page',
      lines: [...[...took].map(([path, ms]) => `${path}: ${text(ms)}`), `bare page: ${text(bare)}`],
      targets: [...took].map(([path, ms]) => ({
        name: `${path}, p99, ms`,
        value: percentile(ms, 0.99),
        bound: { below: 200 },
        or: {
          name: 'relative to a page without a framework',
          value: percentile(ms, 0.99) / percentile(bare, 0.99),
          bound: { below: 6 },
        },
      })),
    }
  } finally {
    await browser.close()
  }
}
