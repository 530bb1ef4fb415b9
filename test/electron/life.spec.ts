import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lockProfile } from '../../electron/database/instance-lock.ts'
import { runToEnd } from './desktop.ts'
import { expect, openSandbox, test } from './fixtures.ts'

/** The environment of a program in the mount of an AppImage. */
const appImage = (file: string) => ({ APPIMAGE: file, APPDIR: dirname(process.execPath) })

/** The console’s log; empty before it starts. */
function logOf(dataDir: string): string {
  const file = join(dataDir, 'logs', 'main.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

test('names a profile that the browser host uses, and refuses it', async ({ desktopKind, dataDir }) => {
  const lock = lockProfile(dataDir)
  try {
    const { code, stderr } = await runToEnd(desktopKind, { dataDir, until: /already uses/ })
    expect(stderr).toContain(`already uses this data folder (process ${process.pid})`)
    if (desktopKind === 'double') expect(code).toBe(3)
  } finally {
    lock.release()
  }
})

test('refuses to start a package with a debugger or without its sandbox', async ({
  desktopKind,
  dataDir,
}) => {
  test.skip(desktopKind === 'real', 'needs a packaged console')
  const debugged = await runToEnd(desktopKind, {
    dataDir,
    args: ['--no-sandbox', '--inspect'],
    env: { SWITCHBOARD_DOUBLE_PACKAGED: '1' },
  })
  expect(debugged.stderr).toContain('Switchboard can’t start with --inspect')
  // A box would keep the debugger open.
  expect(debugged.stderr).not.toContain('error box')
  expect(debugged.code).toBe(2)

  const { code, stderr } = await runToEnd(desktopKind, {
    dataDir,
    args: ['--no-sandbox'],
    env: { SWITCHBOARD_DOUBLE_PACKAGED: '1', ...appImage('/tmp/Switchboard.AppImage') },
  })
  expect(stderr).toContain(
    'showErrorBox: Switchboard couldn’t start: Switchboard can’t start without its sandbox.',
  )
  expect(code).toBe(2)
})

test('reports an uncaught error and stops in order', async ({ startDesktop }) => {
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

test('ends with everything it started when the window closes', async ({ startDesktop, dataDir }) => {
  const desktop = await startDesktop({ dataDir })
  const page = await desktop.window()
  await openSandbox(page)
  await desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close())
  expect(await desktop.exited).toBe(0)
  expect(statSync(join(dataDir, 'logs', 'main.log')).mode & 0o077).toBe(0)
  // The keychain’s process is killed at the end, which is expected.
  expect(logOf(dataDir)).not.toContain('A desktop process ended')
})

test('stops in order on a signal, also if a second one follows', async ({ startDesktop, dataDir }) => {
  const desktop = await startDesktop({ dataDir })
  await desktop.window()
  // A terminal’s Ctrl-C arrives twice: from the terminal, and from the program that started the console.
  desktop.signal('SIGINT')
  desktop.signal('SIGINT')
  desktop.signal('SIGTERM')
  desktop.signal('SIGTERM')
  expect(await desktop.exited).toBe(0)
  expect(logOf(dataDir)).toContain('Stopped')
})
