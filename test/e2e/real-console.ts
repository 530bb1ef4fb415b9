import { expect, type Locator, type Page } from '@playwright/test'
import { createSandbox, type Sandbox, type SandboxOptions } from '#electron/sandbox/create-sandbox.ts'
import { type RunningConsole, startConsole } from '../helpers/start-console.ts'
import { test as base } from './kept-page.ts'

/** Gives the page's browser the session of the test's own calls. */
export async function signIn(
  page: Page,
  { cookie, origin }: Pick<RunningConsole, 'cookie' | 'origin'>,
): Promise<void> {
  const [name, value] = cookie.split(/=(.*)/s)
  await page.context().addCookies([{ name: name!, value: value!, url: origin }])
}

/** A console with one connection, to its own sandbox, which delivers to it. */
export interface ConsoleInSandbox extends Pick<RunningConsole, 'origin' | 'cookie' | 'rpc'> {
  sandbox: Sandbox
}

/** A real console per worker: it starts once for many files, and the page’s code stays compiled. */
const testInHost = base.extend<object, { host: RunningConsole }>({
  host: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
    async ({}, use) => {
      await using running = await startConsole()
      await use(running)
    },
    { scope: 'worker' },
  ],
})

async function connect({ origin, cookie, rpc }: RunningConsole, options: SandboxOptions) {
  // A service without a limit shows one of 200, which paces bulk work.
  const sandbox = await createSandbox({ rateLimitPerMinute: 1_000_000, ...options })
  const apiKey = sandbox.createApiKey(sandbox.tenants[0]!.username).key
  const { connection } = await rpc.connections.connect({
    name: 'Harbor',
    baseUrl: sandbox.baseUrl,
    colour: 'blue',
    production: false,
    credential: { kind: 'api-key', apiKey },
  })
  await expect.poll(async () => (await rpc.listener.get()).status.url).not.toBeNull()
  const { url } = (await rpc.listener.get()).status
  const events = ['dlr', 'mo']
  await rpc.webhooks.subscribe({ url: url!, events, receiver: 'here', secret: { kind: 'generate' } })
  const close = async () => {
    const kept = (await rpc.connections.list()).connections.find(({ id }) => id === connection.id)
    if (kept) await rpc.connections.remove({ id: kept.id, confirmName: kept.name })
    await sandbox.stop()
  }
  return { console: { origin, cookie, rpc, sandbox }, close }
}

/**
 * Call it once in a file. Playwright’s `test` with a connection of the worker’s console for the tests of the file, and its own sandbox.
 * `fill` stores what they need.
 */
export function realConsole(
  options: SandboxOptions = {},
  fill: (console: ConsoleInSandbox) => Promise<unknown> = () => Promise.resolve(),
) {
  let opened: ReturnType<typeof connect> | null = null
  const test = testInHost.extend<{ console: ConsoleInSandbox; open: (path: string) => Promise<void> }>({
    console: async ({ host }, use) => {
      if (!opened) {
        opened = connect(host, options)
        await fill((await opened).console)
      }
      await use((await opened).console)
    },
    /** Opens a page, signed in. */
    open: async ({ page, console }, use) => {
      await signIn(page, console)
      await use(async (path) => void (await page.goto(`${console.origin}/#${path}`)))
    },
  })
  test.afterAll(async () => (await opened)?.close())
  return test
}

/** Presses Tab until `target` has the focus, then `key`. */
export async function tabTo(page: Page, target: Locator, key?: string): Promise<void> {
  await expect(target).toBeEnabled()
  for (
    let presses = 0;
    !(await target.evaluate((element) => element === document.activeElement));
    presses++
  ) {
    expect(presses, `Tab reaches ${String(target)}`).toBeLessThan(90)
    await page.keyboard.press('Tab')
  }
  if (key !== undefined) await page.keyboard.press(key)
}

/** The focus is on something in `part`, not lost to the page. */
export const expectFocusIn = (part: Locator) =>
  expect.poll(() => part.evaluate((element) => element.contains(document.activeElement))).toBe(true)
