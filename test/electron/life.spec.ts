import { dirname } from 'node:path'
import { lockProfile } from '../../electron/database/instance-lock.ts'
import { runToEnd } from './desktop.ts'
import { expect, test } from './fixtures.ts'

/** The environment of a program in the mount of an AppImage. */
const appImage = (file: string) => ({ APPIMAGE: file, APPDIR: dirname(process.execPath) })

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
