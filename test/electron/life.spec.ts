import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lockProfile } from '../../electron/database/instance-lock.ts'
import { whyNoKeyring, withKeyring } from '../helpers/keyring.ts'
import { runToEnd } from './desktop.ts'
import { expect, openSandbox, test } from './fixtures.ts'

test('a second console on the same profile ends and brings the first one up', async ({
  startDesktop,
  desktopKind,
  dataDir,
}) => {
  const first = await startDesktop({ dataDir })
  await first.window()
  await first.main(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    window!.minimize()
    window!.on('focus', () => ((globalThis as unknown as { focused: boolean }).focused = true))
  })
  const second = await runToEnd(desktopKind, { dataDir })
  expect(second.code).toBe(0)
  await expect
    .poll(() => first.main(() => (globalThis as unknown as { focused?: boolean }).focused))
    .toBe(true)
  expect(
    await first.main(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((each) => each.isMinimized())),
  ).toEqual([false])
})

test('a profile that the browser host uses is refused by name', async ({ desktopKind, dataDir }) => {
  const lock = lockProfile(dataDir)
  try {
    const { code, stderr } = await runToEnd(desktopKind, { dataDir, until: /Another Switchboard/ })
    expect(stderr).toContain(`Another Switchboard (process ${process.pid}) uses this profile`)
    if (desktopKind === 'double') expect(code).toBe(3)
  } finally {
    lock.release()
  }
})

test('a start without certificate checks is refused', async ({ desktopKind, dataDir }) => {
  const { code, stderr } = await runToEnd(desktopKind, {
    dataDir,
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    until: /NODE_TLS_REJECT_UNAUTHORIZED=0 would/,
  })
  expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 would let anyone read the sign-in')
  if (desktopKind === 'double') expect(code).toBe(2)
})

test('refuses to start a packaged console with a debugging port or without its sandbox', async ({
  desktopKind,
  dataDir,
}) => {
  test.skip(desktopKind === 'real', 'needs a packaged console')
  for (const argument of [
    '--remote-debugging-port=0',
    '--remote-debugging-pipe',
    '--inspect',
    '--inspect-brk=0',
    '--no-sandbox',
  ]) {
    const { code, stderr } = await runToEnd(desktopKind, {
      dataDir,
      args: [argument],
      env: { SWITCHBOARD_DOUBLE_PACKAGED: '1' },
    })
    expect(stderr).toContain(`Switchboard does not start with ${argument.split('=')[0]!}`)
    expect(code).toBe(2)
  }
})

test('a page whose process ends is brought back at its place, once without asking', async ({
  startDesktop,
}) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  await openSandbox(page)
  await page.evaluate(() => void (location.hash = '#/settings'))
  await desktop.main(({ dialog }) => {
    const seen = globalThis as unknown as { asked: string[] }
    seen.asked = []
    dialog.showMessageBox = (...args: unknown[]) => {
      seen.asked.push((args.at(-1) as { message: string }).message)
      return Promise.resolve({ response: 0, checkboxChecked: false })
    }
  })
  const crash = () =>
    desktop.main(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.webContents.forcefullyCrashRenderer(),
    )
  const text = () =>
    desktop.main(({ BrowserWindow }) => {
      const { webContents } = BrowserWindow.getAllWindows()[0]!
      if (webContents.isCrashed()) return 'crashed'
      return webContents
        .executeJavaScript('location.hash + " " + document.querySelectorAll("button").length')
        .catch(() => 'gone') as Promise<string>
    })
  const asked = () => desktop.main(() => (globalThis as unknown as { asked: string[] }).asked)
  const mark = () =>
    desktop.main(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript('window.beforeCrash = true'),
    )
  const isNew = () =>
    desktop.main(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!
        .webContents.executeJavaScript('!window.beforeCrash')
        .catch(() => false),
    )

  await mark()
  await crash()
  await expect.poll(isNew).toBe(true)
  await expect.poll(text).toMatch(/^#\/settings [1-9]/)
  expect(await asked()).toEqual([])

  await mark()
  await crash()
  await expect.poll(asked).toEqual(['The page of this window ended again.'])
  await expect.poll(isNew).toBe(true)
  await expect.poll(text).toMatch(/^#\/settings [1-9]/)
})

test('an error that nobody caught is said, and ends the console in order', async ({ startDesktop }) => {
  const desktop = await startDesktop()
  await desktop.window()
  await desktop.main(({ dialog }) => {
    dialog.showMessageBox = () => Promise.resolve({ response: 1, checkboxChecked: false })
    setTimeout(() => {
      throw new Error('thrown by a test')
    }, 0)
  })
  expect(await desktop.exited).toBe(1)
})

test('leaves a restart to the launcher, which holds the environment', async ({
  startDesktop,
  desktopKind,
}) => {
  test.skip(desktopKind === 'real', 'has no launcher, so it would start a second console')
  const desktop = await startDesktop()
  await desktop.window()
  await desktop.main(({ dialog }) => {
    dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false })
    setTimeout(() => {
      throw new Error('thrown by a test')
    }, 0)
  })
  expect(await desktop.exited).toBe(75)
})

for (const { state, text } of [
  { state: 'locked', text: 'Your keychain is locked' },
  { state: 'no bus', text: 'No desktop session bus was found' },
] as const) {
  test(`a keychain that is ${state} is told on the connect page`, async ({ startDesktop }) => {
    const reason = whyNoKeyring()
    test.skip(reason !== null, reason ?? '')
    await withKeyring(state, async ({ env }) => {
      const desktop = await startDesktop({
        env: {
          DBUS_SESSION_BUS_ADDRESS: env['DBUS_SESSION_BUS_ADDRESS'],
          XDG_RUNTIME_DIR: env['XDG_RUNTIME_DIR'],
        },
      })
      const page = await desktop.window()
      await expect(page.getByText(text)).toBeVisible()
      await desktop.close()
    })
  })
}

test('closing the window ends the console and everything it started', async ({ startDesktop, dataDir }) => {
  const desktop = await startDesktop({ dataDir })
  const page = await desktop.window()
  await openSandbox(page)
  await desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close())
  expect(await desktop.exited).toBe(0)
  expect(statSync(join(dataDir, 'logs', 'main.log')).mode & 0o077).toBe(0)
})

test('a signal ends the console in order', async ({ startDesktop }) => {
  const desktop = await startDesktop()
  await desktop.window()
  desktop.signal('SIGTERM')
  expect(await desktop.exited).toBe(0)
})

test('a data folder that others can read and that holds other files is refused', async ({
  desktopKind,
  dataDir,
}) => {
  chmodSync(dataDir, 0o755)
  mkdirSync(join(dataDir, 'other'))
  const { code, stderr } = await runToEnd(desktopKind, { dataDir, until: /can be read by others/ })
  expect(stderr).toContain('can be read by others and holds other files. Nothing was opened.')
  if (desktopKind === 'double') expect(code).toBe(1)
})
