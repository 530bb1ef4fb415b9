import { chromium, type Browser, type Page } from '@playwright/test'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AppError } from '#contract/errors.ts'
import { viewOf } from '#electron/core/platform/rpc/errors.ts'
import { chromiumPath } from '../helpers/chromium.ts'
import { everyPage, nothing, pageStates } from '../helpers/every-page.ts'
import { type CallName, type ScriptedCore, startScriptedCore } from '../helpers/scripted-core.ts'
import { ago, hourMs } from '../helpers/scripted/broadcast.ts'
import { aReading, ordinaryScheduled, readingSteps, stepsOf } from '../helpers/scripted/scheduled.ts'
import { startConsole } from '../helpers/start-console.ts'

/**
 * Takes a picture of every page in its states, dark and light, wide, narrow and zoomed, into `test-results/gallery`. Words choose some:
 * `npm run gallery -- dark wide empty contacts`. With `readme`, takes the pictures of the README from the built-in sandbox instead.
 */
const root = resolve(import.meta.dirname, '../..')
const sizes = { wide: [1440, 900], narrow: [1024, 640], zoomed: [720, 450] } as const

const lists: readonly CallName[] = [
  'campaigns.list',
  'contacts.list',
  'dnc.list',
  'dnc.holds',
  'errorCodes.search',
  'events.search',
  'imports.list',
  'inbox.list',
  'messages.list',
  'outbox.list',
  'team.changes',
  'templates.list',
  'webhooks.list',
]
const error = viewOf(new AppError('SERVICE_UNREACHABLE', { host: 'api.example.com', detail: 'no route' }))
const kept = ordinaryScheduled(40)

/** What brings a core into each state; `late` changes an open page. */
const states: Record<string, { now?(core: ScriptedCore): void; late?(core: ScriptedCore): void }> = {
  full: {},
  loading: { now: (core) => core.change(pageStates.loading) },
  failed: { now: (core) => core.change(pageStates.failed) },
  empty: {
    now(core) {
      for (const list of lists) core.extend(list, nothing as object)
      core.change({ scheduled: { read: () => stepsOf(readingSteps([])) } })
    },
  },
  // The service doesn't respond. Its lists are an hour old.
  unreachable: {
    now(core) {
      core.setStatus({ network: { reachable: false, lastAnswerAt: ago(hourMs), problem: error } })
      for (const name of ['campaigns.list', 'messages.list', 'webhooks.list', 'overview.get'] as const)
        core.extend(name, { freshness: { asOf: ago(hourMs), source: 'cache', error } } as object)
      const step = { kind: 'kept', items: kept, reading: aReading(kept, hourMs), isLast: true } as const
      core.change({ scheduled: { read: () => stepsOf([step, { kind: 'failed', error }]) } })
    },
  },
  // The page lost its core.
  offline: { late: (core) => core.unplug() },
}

/** Those of `names` that the command line has, or all. */
function chosen(names: readonly string[]): readonly string[] {
  const some = names.filter((name) => process.argv.includes(name))
  return some.length > 0 ? some : names
}

async function shoot(page: Page, folder: string, name: string): Promise<void> {
  // Skeletons and fades have no common end to wait for.
  await page.waitForTimeout(700)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

async function takeGallery(browser: Browser): Promise<void> {
  for (const scheme of chosen(['dark', 'light']) as ('dark' | 'light')[])
    for (const size of chosen(Object.keys(sizes)) as (keyof typeof sizes)[])
      for (const state of chosen(Object.keys(states))) {
        const [width, height] = sizes[size]
        const folder = join(root, 'test-results/gallery', `${scheme}-${size}`, state)
        mkdirSync(folder, { recursive: true })
        const core = await startScriptedCore()
        const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme })
        states[state]!.now?.(core)
        for (const name of chosen(everyPage)) {
          // Not the page before: it may still be reconnecting.
          await page.goto('about:blank')
          await page.goto(`${core.url}#/${name}`)
          if (states[state]!.late) {
            await page.waitForTimeout(1_500)
            states[state]!.late!(core)
          }
          await shoot(page, folder, name)
          core.plugIn()
        }
        if (state === 'full') {
          core.setStatus({ connection: null })
          await page.goto(`${core.url}#/connect`)
          await shoot(page, folder, 'connect')
        }
        await page.close()
        await core.stop()
      }
}

async function takeReadmePictures(browser: Browser): Promise<void> {
  const folder = join(root, 'resources/pictures')
  mkdirSync(folder, { recursive: true })
  await using console = await startConsole({ args: ['--sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' })
  await page.goto(console.url)
  // Live traffic fills the charts meanwhile.
  await page.waitForTimeout(180_000)
  await shoot(page, folder, 'overview')
  await page.goto(`${console.origin}/#/events?status=failed`)
  await page.locator('main [role=grid] [role=row]', { hasText: 'Failed' }).first().click()
  await page.locator('main .detail').waitFor()
  await shoot(page, folder, 'events')
  await page.goto(`${console.origin}/#/imports`)
  await page.locator('input[type=file]').first().setInputFiles(join(root, 'resources/sample-contacts.csv'))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.waitForTimeout(2_000)
  await shoot(page, folder, 'import')
}

const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--force-prefers-reduced-motion'],
})
try {
  await (process.argv.includes('readme') ? takeReadmePictures(browser) : takeGallery(browser))
} finally {
  await browser.close()
}
