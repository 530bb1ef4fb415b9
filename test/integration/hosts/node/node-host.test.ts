import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { descendantsOf } from '../../../helpers/host-process.ts'
import { startHost } from '../../../helpers/start-host.ts'
import {
  type ConsoleOptions,
  nodeHost,
  type RunningConsole,
  startConsole,
  stubRenderer,
} from '../../../helpers/start-console.ts'
import { findSecrets } from '../../../helpers/planted-secrets.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'
import { takePort } from '../../../helpers/ports.ts'
import { frontConnection } from '../../../helpers/wait-for.ts'

async function running(options: ConsoleOptions = {}) {
  const console = await startConsole({ rendererDir: stubRenderer, ...options })
  onTestFinished(() => console.stop())
  return console
}

/** Runs the host until it ends. */
async function refusal(args: string[], env: NodeJS.ProcessEnv = {}) {
  const host = startHost({
    file: nodeHost,
    args: ['--no-open', ...args],
    env: { SWITCHBOARD_RENDERER_DIR: stubRenderer, SWITCHBOARD_DATA_DIR: tempFolder(), ...env },
  })
  const { code } = await host.exit
  return { code, text: host.lines.join('\n') }
}

// One console for all, in this order: a start costs more than anything these tests do.
describe('a console without a connection', () => {
  let console: RunningConsole
  beforeAll(async () => void (console = await startConsole({ rendererDir: stubRenderer })))
  afterAll(() => console.host.kill('SIGKILL'))

  test.runIf(process.getuid?.() === 0)('warns once when it runs as root', async () => {
    const warned = () => console.host.lines.filter((line) => line.includes('runs as root'))
    await expect.poll(warned).toHaveLength(1)
  })

  test('refuses a second console on the same profile and names the first', async () => {
    const { code, text } = await refusal(['--data-dir', console.dataDir])
    expect(code).toBe(3)
    expect(text).toContain(`already uses this data folder (process ${console.host.pid}).`)
    expect(text).not.toMatch(/^ {4}at /m)
  })

  test('closes its files to other users', () => {
    for (const entry of readdirSync(console.dataDir, { recursive: true, withFileTypes: true }))
      expect(statSync(join(entry.parentPath, entry.name)).mode & 0o077, entry.name).toBe(0)
  })

  test('prints the listener’s address once when the first connection is added', async () => {
    const { host, rpc } = console
    expect(host.lines[1]).toMatch(/^Webhook listener not running: /)
    const printed = host.nextLine(/^Webhook listener ready: (\S+)$/)
    await rpc.connections.openSandbox()
    const [, url] = await printed
    expect((await rpc.listener.get()).status.url).toBe(url)
    expect(host.lines.filter((line) => line.startsWith('Webhook listener ready'))).toHaveLength(1)
  })

  test.runIf(process.platform !== 'win32')('opens no debugger on SIGUSR1', async () => {
    console.host.signal('SIGUSR1')
    await console.rpc.connections.list()
  })

  test('stops cleanly although SIGINT comes twice', async () => {
    console.host.signal('SIGINT')
    console.host.signal('SIGINT')
    expect(await console.host.exit).toEqual({ code: 0, signal: null })
    expect(console.host.lines.join('\n')).not.toMatch(/debugger/i)
  })
})

test('keeps profile, sandbox and a free port over a clean stop and a kill -9, and leaves nothing running', async () => {
  const options = { dataDir: join(tempFolder(), 'new'), args: ['--sandbox'] }
  const addressOf = async ({ rpc }: RunningConsole) => (await rpc.connections.list()).connections[0]!.baseUrl
  const first = await running(options)
  expect(statSync(options.dataDir).mode & 0o777).toBe(0o700)
  const { lines } = first.host
  expect(lines[0]).toMatch(/^Switchboard ready: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/)
  expect(lines[1]).toMatch(/^Webhook listener ready: http:\/\/127\.0\.0\.1:\d+\/\S*$/)
  expect(lines[2]).toMatch(/^\d{4}-\d\d-\d\dT\S+ (info|warn|error) +\S+: /)
  const { config } = await first.rpc.listener.get()
  await expect(
    first.rpc.listener.configure({ ...config, port: Number(new URL(first.origin).port) }),
  ).rejects.toThrow('Switchboard’s own page uses this port')
  const address = await addressOf(first)
  await first.stop()
  const second = await running(options)
  expect(await addressOf(second)).toBe(address)
  expect(second.origin).toBe(first.origin)
  await second.kill('SIGKILL')
  await takePort(Number(new URL(first.origin).port))
  const third = await running(options)
  expect(await addressOf(third)).toBe(address)
  expect(third.origin).not.toBe(first.origin)
})

test('shows the webhooks of its service, and puts no secret into its output, files or children', async () => {
  const secret = 'planted-webhook-secret-4711'
  const console = await running({
    sandbox: { ratePerSecond: 50 },
    dataDir: tempFolder(),
    env: { SWITCHBOARD_WEBHOOK_SECRET: secret, SWITCHBOARD_LOG: 'debug' },
  })
  expect((await frontConnection(console.rpc))?.baseUrl).toBe(console.sandbox!.baseUrl)
  await expect
    .poll(async () => (await console.rpc.events.search({ filter: {} })).storedTotal)
    .toBeGreaterThan(10)
  for (const pid of descendantsOf(console.host.pid))
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(secret)
  await console.stop()
  expect(findSecrets({ secret }, [console.dataDir], { output: console.host.lines.join('\n') })).toEqual([])
})

test('ends cleanly on SIGTERM during the start', async () => {
  const dataDir = tempFolder()
  const host = startHost({
    file: nodeHost,
    args: ['--no-open', '--data-dir', dataDir, '--sandbox'],
    env: { SWITCHBOARD_RENDERER_DIR: stubRenderer, SWITCHBOARD_LISTENER_PORT: '0' },
  })
  await expect.poll(() => existsSync(join(dataDir, 'owner.json')), { interval: 5 }).toBe(true)
  host.signal('SIGTERM')
  expect(await host.exit, host.lines.join('\n')).toEqual({ code: 0, signal: null })
})

test('says why it can’t start, without a stack', async () => {
  const { port } = await takePort()
  const reasons: [string[], NodeJS.ProcessEnv, number, RegExp][] = [
    [['--nope'], {}, 2, /^Unknown option '--nope'\. Nothing was started\. Usage: /],
    [['--port', String(port)], {}, 1, /Another program uses/],
    [[], { SWITCHBOARD_RENDERER_DIR: tempFolder() }, 1, /npm run build/],
  ]
  for (const [args, env, code, sentence] of reasons) {
    const end = await refusal(args, env)
    expect(end).toEqual({ code, text: expect.stringMatching(sentence) as string })
    expect(end.text).not.toMatch(/^ {4}at /m)
  }
})

test('refuses a data folder that others can read and that holds other files', async () => {
  const foreign = join(tempFolder(), 'open')
  mkdirSync(foreign, { mode: 0o755 })
  writeFileSync(join(foreign, 'letter.txt'), 'dear')
  const { code, text } = await refusal(['--data-dir', foreign])
  expect(text).toContain('holds other files. Nothing was opened.')
  expect(code).toBe(1)
  expect(readdirSync(foreign)).toEqual(['letter.txt'])
})
