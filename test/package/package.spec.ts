import { extractAll, getRawHeader, listPackage, statFile } from '@electron/asar'
import { FuseState, getCurrentFuseWire } from '@electron/fuses'
import { expect, test } from '@playwright/test'
import { Arch, build } from 'electron-builder'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { NtExecutable, NtExecutableResource } from 'resedit'
import { mainEntries } from '../../electron.vite.config.ts'
import packaging, { fuses, needsNewSignature } from '../../resources/packaging/electron-builder.config.ts'
import { startDesktop } from '../electron/desktop.ts'
import { spawnHost } from '../helpers/host-process.ts'
import { packStandIns, type Packed } from './pack.ts'

let folder: string
/** The extracted archive of the Linux app. */
let app: string
let packed: Record<'linux' | 'win32' | 'darwin', Packed>

/** Paths of an archive with forward slashes and without the first one. */
const filesOf = (asar: string) =>
  listPackage(asar, { isPack: false })
    .map((path) => path.replaceAll('\\', '/').slice(1))
    .filter((path) => !('files' in statFile(asar, path)))
const headerHash = (asar: string) =>
  createHash('sha256').update(getRawHeader(asar).headerString).digest('hex')

test.describe.configure({ mode: 'serial' })
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-package-'))
  app = join(folder, 'app')
  packed = await packStandIns(folder)
  extractAll(packed.linux.asar, app)
})
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('refuses an unknown builder option', async () => {
  const config = { ...packaging, npmRebuilds: false }
  await expect(build({ config, dir: true })).rejects.toThrow(/unknown property 'npmRebuilds'/)
})

for (const platform of ['linux', 'win32', 'darwin'] as const) {
  test(`the ${platform} app states every fuse`, async () => {
    const { version: _, strictlyRequireAllFuses: __, ...stated } = fuses
    const { version: ___, ...wire } = await getCurrentFuseWire(packed[platform].program)
    const asStates = Object.fromEntries(
      Object.entries(stated).map(([fuse, isOn]) => [fuse, isOn ? FuseState.ENABLE : FuseState.DISABLE]),
    )
    expect(Object.keys(wire)).toHaveLength(9)
    expect(wire).toEqual(asStates)
  })

  test(`the ${platform} app contains only the build and its native modules`, () => {
    const { asar, target } = packed[platform]
    const files = filesOf(asar)
    const foreign = files.filter(
      (file) =>
        !/^(package\.json|out\/(main|preload|renderer)\/.+\.(js|cjs|css|html|svg|woff2|csv)|node_modules\/(better-sqlite3|keytar)\/(package\.json|LICENSE(\.md)?|lib\/.+\.js|prebuilds\/.+\.node))$/.test(
          file,
        ),
    )
    expect(foreign).toEqual([])
    expect(files.filter((file) => file.endsWith('.node'))).toEqual([
      `node_modules/better-sqlite3/prebuilds/${target}.node`,
      `node_modules/keytar/prebuilds/${target}/keytar.node`,
    ])
    expect(files).toEqual(
      expect.arrayContaining(Object.keys(mainEntries).map((name) => `out/main/${name}.js`)),
    )
    // Electron loads a native module from a real file; everything else stays under the integrity check.
    const unpacked = files.filter((file) => 'unpacked' in statFile(asar, file))
    expect(unpacked).toEqual(files.filter((file) => file.endsWith('.node')))
  })
}

test('signs again what Apple silicon would not start, where it is packed on a Mac', () => {
  expect(needsNewSignature('darwin', Arch.arm64, 'darwin')).toBe(true)
  expect(needsNewSignature('darwin', Arch.x64, 'darwin')).toBe(false)
  expect(needsNewSignature('darwin', Arch.arm64, 'linux')).toBe(false)
  expect(needsNewSignature('linux', Arch.arm64, 'darwin')).toBe(false)
})

test('documents an AppArmor profile that the deb package does not overwrite', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../electron/hosts/README.md'), 'utf8')
  const names = [...readme.matchAll(/(?:\/etc\/apparmor\.d\/|^profile )([\w-]+)/gm)].map(([, name]) => name)
  expect(new Set(names)).toEqual(new Set(['switchboard-dev']))
  // The deb names its profile and file after the program.
  expect(packaging.linux!.executableName).not.toBe('switchboard-dev')
})

test('writes the hash that the integrity fuse checks on macOS and Windows', () => {
  const plist = readFileSync(join(packed.darwin.program, 'Contents/Info.plist'), 'utf8')
  expect(plist).toContain(headerHash(packed.darwin.asar))
  expect(plist).toContain('<string>switchboard</string>')

  const program = NtExecutable.from(readFileSync(packed.win32.program))
  const { entries } = NtExecutableResource.from(program)
  const integrity = entries.find(({ type }) => type === 'INTEGRITY')!
  expect(JSON.parse(Buffer.from(integrity.bin).toString())).toEqual([
    { file: 'resources\\app.asar', alg: 'SHA256', value: headerHash(packed.win32.asar) },
  ])
})

test('starts and stops the browser host with its threads from the packed files', async () => {
  const host = spawnHost({
    file: join(app, 'out/main/node-host.js'),
    args: ['--no-open', '--sandbox', '--data-dir', join(folder, 'host-data')],
    env: { SWITCHBOARD_LISTENER_PORT: '0' },
  })
  const [, url] = await host.line(/^Switchboard ready: (\S+)$/)
  expect((await fetch(url!)).status).toBe(200)
  await host.line(/^Webhook listener ready: /)
  await host.stop()
})

/** Loads an entry of the packed app as a thread. Returns "loaded", "ended" or the error. */
async function loadThread(entry: string): Promise<string> {
  const module = pathToFileURL(join(app, 'out/main', `${entry}.js`)).href
  const program = `import('${module}').then(() => require('node:worker_threads').parentPort.postMessage('loaded'))`
  const worker = new Worker(program, { eval: true, workerData: join(folder, 'no such file') })
  const end = await new Promise<string>((done) => {
    worker.on('message', (message) => message === 'loaded' && done(message))
    worker.on('error', (error) => done((error as NodeJS.ErrnoException).code ?? error.message))
    worker.on('exit', () => done('ended'))
  })
  await worker.terminate()
  return end
}

test('loads each thread from the packed files', async () => {
  const threads = Object.keys(mainEntries).filter((name) => name.endsWith('-thread'))
  const ends = await Promise.all(threads.map(async (entry) => [entry, await loadThread(entry)]))
  expect(Object.fromEntries(ends)).toEqual({
    'core-thread': 'loaded',
    'listener-thread': 'loaded',
    'sandbox-thread': 'loaded',
    'contacts-thread': 'loaded',
    'search-thread': 'loaded',
    'job-thread': 'loaded',
    // Checks one file and ends.
    'check-thread': 'SQLITE_CANTOPEN',
  })
})

test('loads the keychain’s native module from the packed files', () => {
  const keytar = createRequire(join(app, 'out/main/keychain-process.js'))('keytar') as object
  expect(keytar).toHaveProperty('getPassword')
})

test('names every bundled library and its licence in the notices', () => {
  const text = readFileSync(join(packed.linux.asar, '../THIRD_PARTY_NOTICES.txt'), 'utf8')
  const ids = [...text.matchAll(/^={78}\n(\S+) \S+ \((.+)\)\n\n(.*)/gm)]
  const names = ids.map(([, name]) => name)
  expect(names).toEqual(
    expect.arrayContaining(
      '@vue/runtime-dom naive-ui echarts zod ws @orpc/server better-sqlite3 @github/keytar'.split(' '),
    ),
  )
  expect(names).not.toContain('vite')
  expect(text).toContain('This product includes software developed at\nThe Apache Software Foundation')
  const unlicensed = ids.filter(([, , identifier]) => identifier === 'no identifier').map(([, name]) => name)
  expect(unlicensed).toEqual([])
})

test('opens window, manual and notices from the packed files, also with an unsafe update feed', async () => {
  const resources = join(packed.linux.asar, '..')
  const desktop = await startDesktop('double', {
    app: join(app, 'out/main/main.js'),
    env: {
      SWITCHBOARD_DOUBLE_PACKAGED: '1',
      SWITCHBOARD_DOUBLE_RESOURCES: resources,
      SWITCHBOARD_UPDATE_URL: 'http://updates.example',
    },
  })
  await expect(await desktop.window()).toHaveTitle(/Switchboard/)
  const opened = await desktop.main((electron) => {
    const { Menu, shell } = electron as unknown as typeof Electron.CrossProcessExports
    const paths: string[] = []
    shell.openPath = (path) => Promise.resolve(String(paths.push(path))).then(() => '')
    const help = Menu.getApplicationMenu()!.items.find(({ role }) => role === 'help')!
    for (const item of help.submenu!.items) if (/licenses|Documentation/.test(item.label)) item.click()
    return paths
  })
  expect(opened).toEqual([join(resources, 'README.md'), join(resources, 'THIRD_PARTY_NOTICES.txt')])
  const log = readFileSync(join(desktop.dataDir, 'logs/main.log'), 'utf8')
  expect(log).toContain('SWITCHBOARD_UPDATE_URL is not an https address, so updates are off')
  await desktop.close()
})
