import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startHost } from '../../../helpers/start-host.ts'
import { launch, startProject } from '../../../helpers/start-project.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'
import { freePort } from '../../../helpers/ports.ts'
import { zipOf } from '../../../helpers/zip-of.ts'

const root = resolve('.')
const version = '45.4.1'
const archive = `electron-v${version}-${process.platform}-${process.arch}.zip`

const release = zipOf({
  electron: `#!${process.execPath}\nconsole.log('the downloaded Electron', process.argv.slice(2).join(' '))`,
  version,
  // Large enough to arrive in pieces.
  'resources.pak': randomBytes(3_000_000),
})

/** Electron's own installer in a project without the binary. */
function project(checksum = createHash('sha256').update(release).digest('hex')): string {
  const folder = startProject({
    'node_modules/electron/package.json': JSON.stringify({ version, type: 'commonjs' }),
    'node_modules/electron/checksums.json': JSON.stringify({ [archive]: checksum }),
    'not-root.cjs': 'process.getuid = () => 1000',
  })
  copyFileSync(
    join(root, 'node_modules/electron/install.js'),
    join(folder, 'node_modules/electron/install.js'),
  )
  for (const scope of ['@electron', '@electron-internal']) {
    symlinkSync(join(root, 'node_modules', scope), join(folder, 'node_modules', scope))
  }
  return folder
}

async function serve(listener: RequestListener): Promise<{ port: number; connects: string[] }> {
  const connects: string[] = []
  const server = createServer(listener)
  // Acts as a proxy: every tunnel leads back here.
  server.on('connect', (request, socket) => {
    connects.push(request.url!)
    const target = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    target.on('error', () => socket.destroy())
    socket.on('error', () => target.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connects }
}

const sendsPart: RequestListener = (_request, response) =>
  void response.writeHead(200, { 'Content-Length': release.length }).write(release.subarray(0, 1_000_000))

const sendsRelease: RequestListener = (request, response) => {
  if (!request.url!.endsWith(`/v${version}/${archive}`)) return response.writeHead(404).end()
  response.writeHead(200, { 'Content-Length': release.length }).end(release)
}

function start(folder: string, env: NodeJS.ProcessEnv) {
  const proxies = Object.fromEntries(
    ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap((name) => [
      [name, undefined],
      [name.toLowerCase(), undefined],
    ]),
  )
  return launch(folder, [], {
    env: {
      ...proxies,
      ELECTRON_GET_USE_PROXY: undefined,
      DISPLAY: ':99',
      NODE_OPTIONS: `--require ${join(folder, 'not-root.cjs')}`,
      electron_config_cache: tempFolder(),
      ...env,
    },
  })
}

const progress = /^Downloading Electron: \d+ % of 4 MB$/

test('downloads Electron, shows progress and starts it', async () => {
  const { port } = await serve(sendsRelease)
  const folder = project()
  const host = start(folder, { ELECTRON_MIRROR: `http://127.0.0.1:${port}/` })
  expect(await host.exit).toEqual({ code: 0, signal: null })
  expect(host.lines[0]).toBe('Downloading Electron, once.')
  expect(host.lines.filter((line) => progress.test(line)).length).toBeGreaterThan(1)
  expect(host.lines).toContain('Downloading Electron: 100 % of 4 MB')
  expect(host.lines.at(-1)).toBe(`the downloaded Electron ${folder}`)
})

// The tunnel speaks no TLS, so a download by https fails.
test.each([
  ['HTTP_PROXY', 'http', 80, /^the downloaded Electron/],
  [
    'HTTPS_PROXY',
    'https',
    443,
    /^Switchboard runs in the browser: Electron could not be downloaded \(.+\)\.$/,
  ],
])('downloads through %s from a mirror by %s', async (variable, scheme, mirrorPort, end) => {
  const { port, connects } = await serve(sendsRelease)
  const host = start(project(), {
    ELECTRON_MIRROR: `${scheme}://mirror.invalid/`,
    [variable]: `http://127.0.0.1:${port}`,
  })
  await host.line(end)
  expect(connects[0]).toBe(`mirror.invalid:${mirrorPort}`)
  await host.kill('SIGTERM')
})

test.each([
  ['the server answered 503', (_request, response) => void response.writeHead(503).end()],
  [
    'the download is damaged',
    (_request, response) => void response.writeHead(200, { 'Content-Length': 3 }).end('zip'),
  ],
] satisfies [string, RequestListener][])('falls back to the browser: %s', async (why, listener) => {
  const { port } = await serve(listener)
  const folder = project()
  const host = start(folder, { ELECTRON_MIRROR: `http://127.0.0.1:${port}/` })
  await host.line(/^host /)
  expect(host.lines).toContain(`Switchboard runs in the browser: Electron could not be downloaded (${why}).`)
  expect(existsSync(join(folder, 'node_modules/electron/path.txt'))).toBe(false)
  await host.kill('SIGTERM')
})

test('falls back to the browser when the mirror is unreachable', async () => {
  const port = await freePort()
  const host = start(project(), { ELECTRON_MIRROR: `http://127.0.0.1:${port}/` })
  await host.line(/^Switchboard runs in the browser: Electron could not be downloaded \(ECONNREFUSED\)\.$/)
  await host.kill('SIGTERM')
})

test('gives up when data stops arriving', async () => {
  const { port } = await serve(sendsPart)
  const folder = project()
  const script = join(folder, 'download.mjs')
  writeFileSync(
    script,
    `import { downloadElectron } from './electron/hosts/start/desktop.mjs'
console.log(JSON.stringify(await downloadElectron(${JSON.stringify(folder)}, process.env, 500)))`,
  )
  const host = startHost({
    file: script,
    env: { ELECTRON_MIRROR: `http://127.0.0.1:${port}/`, electron_config_cache: tempFolder() },
  })
  expect((await host.exit).code).toBe(0)
  expect(JSON.parse(host.lines.at(-1)!)).toEqual({
    why: 'Electron could not be downloaded (no data arrived for 0.5 s)',
    asked: false,
  })
})

test('starts nothing after a signal during the download', async () => {
  const { port } = await serve(sendsPart)
  const host = start(project(), { ELECTRON_MIRROR: `http://127.0.0.1:${port}/` })
  await host.line(progress)
  host.signal('SIGTERM')
  expect((await host.exit).code).toBe(1)
  expect(host.lines.at(-1)).toBe('The download was stopped. Nothing was started.')
})
