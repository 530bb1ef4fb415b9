import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { descendantsOf } from '../../helpers/host-process.ts'
import { startHost } from '../../helpers/start-host.ts'
import { type ConsoleOptions, startConsole, stubRenderer } from '../../helpers/start-console.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { exchange } from '../../helpers/web-session.ts'

const main = resolve('electron/hosts/node/main.ts')

async function running(options: ConsoleOptions = {}) {
  const console = await startConsole({ rendererDir: stubRenderer, ...options })
  onTestFinished(() => console.stop())
  return console
}

/** Runs the host until it ends by itself. */
async function refusal(args: string[], env: NodeJS.ProcessEnv = {}) {
  const host = startHost({
    file: main,
    args: ['--no-open', ...args],
    env: { SWITCHBOARD_RENDERER_DIR: stubRenderer, SWITCHBOARD_DATA_DIR: tempFolder(), ...env },
  })
  const { code } = await host.exit
  return { code, text: host.lines.join('\n') }
}

test('the two ready lines stand first, then the log', async () => {
  const { host } = await running({ args: ['--sandbox'] })
  expect(host.lines[0]).toMatch(/^Switchboard ready: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/)
  expect(host.lines[1]).toMatch(/^Webhook listener ready: http:\/\/127\.0\.0\.1:\d+\/\S*$/)
  expect(host.lines[2]).toMatch(/^\d{4}-\d\d-\d\dT\S+ (info|warn|error) +\S+: /)
})

test('the whole console answers over the socket: the sandbox is signed in and its webhooks arrive', async () => {
  const console = await running({ sandbox: { ratePerSecond: 50 } })
  const { connections, activeId } = await console.rpc.connections.list()
  expect(connections.find(({ id }) => id === activeId)?.baseUrl).toBe(console.sandbox!.baseUrl)
  await expect
    .poll(async () => (await console.rpc.events.search({ filter: {} })).storedTotal)
    .toBeGreaterThan(10)
})

test('prints the listener’s address once when the first connection is added', async () => {
  const { host, rpc } = await running()
  expect(host.lines[1]).toMatch(/^Webhook listener not running: /)
  const printed = host.nextLine(/^Webhook listener ready: (\S+)$/)
  await rpc.connections.openSandbox()
  const [, url] = await printed
  expect((await rpc.listener.get()).status.url).toBe(url)
  expect(host.lines.filter((line) => line.startsWith('Webhook listener ready'))).toHaveLength(1)
})

test.runIf(process.platform !== 'win32')('SIGUSR1 opens no debugger', async () => {
  const console = await running()
  console.host.signal('SIGUSR1')
  await console.rpc.connections.list()
  await console.stop()
  expect(console.host.lines.join('\n')).not.toMatch(/debugger/i)
})

test.runIf(process.getuid?.() === 0)('a console run as root says once that it should not be', async () => {
  const { host } = await running()
  const warned = () => host.lines.filter((line) => line.includes('runs as root'))
  await expect.poll(warned).toHaveLength(1)
})

test('SIGTERM ends it cleanly, with nothing left running and the profile free', async () => {
  const first = await running({ dataDir: tempFolder(), args: ['--sandbox'] })
  await first.stop()
  const second = await running({ dataDir: first.dataDir })
  await second.stop()
})

test('a second SIGINT changes nothing about a clean stop', async () => {
  const { host } = await running()
  host.signal('SIGINT')
  host.signal('SIGINT')
  expect(await host.exit).toEqual({ code: 0, signal: null })
})

test('SIGTERM during the start ends it cleanly', async () => {
  const dataDir = tempFolder()
  const host = startHost({
    file: main,
    args: ['--no-open', '--data-dir', dataDir, '--sandbox'],
    env: { SWITCHBOARD_RENDERER_DIR: stubRenderer, SWITCHBOARD_LISTENER_PORT: '0' },
  })
  await expect.poll(() => existsSync(join(dataDir, 'owner.json')), { interval: 5 }).toBe(true)
  host.signal('SIGTERM')
  expect(await host.exit, host.lines.join('\n')).toEqual({ code: 0, signal: null })
})

test('after kill -9 it starts again on the same profile, and the sandbox keeps its address', async () => {
  const first = await running({ dataDir: tempFolder(), args: ['--sandbox'] })
  const addressOf = async ({ rpc }: typeof first) => (await rpc.connections.list()).connections[0]!.baseUrl
  const address = await addressOf(first)
  await first.kill('SIGKILL')
  const second = await running({ dataDir: first.dataDir, args: ['--sandbox'] })
  expect(await addressOf(second)).toBe(address)
})

test('a second console on the same profile is refused with the first one named', async () => {
  const { dataDir, host } = await running()
  const { code, text } = await refusal(['--data-dir', dataDir])
  expect(code).toBe(3)
  expect(text).toContain(`Another Switchboard (process ${host.pid}) uses this profile.`)
  expect(text).not.toMatch(/^ {4}at /m)
})

test('a flag that is not known is refused with a sentence and exit code 2', async () => {
  const { code, text } = await refusal(['--nope'])
  expect(text).toMatch(/^Unknown option '--nope'\. Nothing was started\. Usage: /)
  expect(text).not.toMatch(/^ {4}at /m)
  expect(code).toBe(2)
})

test('a taken port of the web server is a sentence, and the profile is free again', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const { code, text } = await refusal(['--port', String(port)])
  expect(text).toContain('used by another program')
  expect(code).toBe(1)
})

test('the port of its own page is not said to be of another program', async () => {
  const { rpc, origin } = await running({ args: ['--sandbox'] })
  const { config } = await rpc.listener.get()
  await expect(rpc.listener.configure({ ...config, port: Number(new URL(origin).port) })).rejects.toThrow(
    'this console’s own page uses this port',
  )
})

test('a folder without a built page is a sentence that says how to build it', async () => {
  const { code, text } = await refusal([], { SWITCHBOARD_RENDERER_DIR: tempFolder() })
  expect(text).toContain('npm run build')
  expect(code).toBe(1)
})

test('the data folder is closed to others, and one with foreign files is refused', async () => {
  const { dataDir } = await running({ dataDir: join(tempFolder(), 'new') })
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    expect(statSync(join(entry.parentPath, entry.name)).mode & 0o077, entry.name).toBe(0)
  }
  const foreign = tempFolder()
  mkdirSync(join(foreign, 'open'), { mode: 0o755 })
  writeFileSync(join(foreign, 'open', 'letter.txt'), 'dear')
  const { code, text } = await refusal(['--data-dir', join(foreign, 'open')])
  expect(text).toContain('holds other files. Nothing was opened.')
  expect(code).toBe(1)
  expect(readdirSync(join(foreign, 'open'))).toEqual(['letter.txt'])
})

test('secrets of the environment are in no output, no file and no child', async () => {
  const secret = 'planted-webhook-secret-4711'
  const console = await running({
    sandbox: {},
    dataDir: tempFolder(),
    env: { SWITCHBOARD_WEBHOOK_SECRET: secret, SWITCHBOARD_LOG: 'debug' },
  })
  await console.rpc.connections.list()
  for (const pid of descendantsOf(console.host.pid)) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(secret)
  }
  await console.stop()
  expect(console.host.lines.join('\n')).not.toContain(secret)
  for (const entry of readdirSync(console.dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) expect(readFileSync(path).includes(secret), path).toBe(false)
  }
})

test('each link works once, and only the newest unspent one', async () => {
  const console = await running()
  expect((await exchange(console.url)).status).toBe(204)
  expect((await exchange(console.url)).status).toBe(401)
})
