import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { tempFolder } from '../../../helpers/temp-folder.ts'

// Outside Electron the package is just a path to a binary.
vi.mock('electron', () => ({ app: {} }))
const { ownAppImage, startAfterEnd } = await import('#electron/hosts/electron/relaunch.ts')

test.each([
  ['/home/ada/S.AppImage', { APPIMAGE: '/home/ada/S.AppImage', APPDIR: '/tmp/.mount_S' }],
  // A terminal in another AppImage started the installed package.
  [null, { APPIMAGE: '/home/ada/Editor.AppImage', APPDIR: '/tmp/.mount_Editor' }],
  [null, { APPIMAGE: '/home/ada/S.AppImage', APPDIR: '' }],
  [null, {}],
])('finds its own AppImage %s in %o', (file, env) => {
  expect(ownAppImage(env, '/tmp/.mount_S/switchboard')).toBe(file)
})

test.skipIf(process.platform === 'win32')(
  'starts a program when this one has ended, not before',
  async () => {
    const file = join(tempFolder(), 'started')
    const waiting = startAfterEnd('/bin/sh', ['-c', 'echo "$KEY $1" > "$0"', file, 'a b'], { KEY: 'k-1' })
    // It has been running for a while.
    await new Promise((done) => waiting.once('spawn', done))
    expect(existsSync(file)).toBe(false)
    // What the end of this process does.
    waiting.stdin.destroy()
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toBe('k-1 a b\n')
  },
)
