import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../../../electron/lib/command-line.ts'
import { startHost } from '../../../helpers/start-host.ts'
import { launch, startProject } from '../../../helpers/start-project.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

interface End {
  code: number | null
  signal: string | null
  asked: boolean
}

const root = resolve('.')
const part = (name: string) => import(join(root, 'electron/hosts/start', name)) as Promise<never>
const { findElectron, whyNoDesktop } = (await part('desktop.mjs')) as {
  findElectron(root: string, env: NodeJS.ProcessEnv): string | null
  whyNoDesktop(machine: { platform: string; env: NodeJS.ProcessEnv; uid: number | null }): string | null
}
const { isFailedStart, restartCode, sandboxRemedy } = (await part('electron.mjs')) as {
  isFailedStart(end: End, tookMs: number): boolean
  restartCode: number
  sandboxRemedy(binary: string, end: End, machine: { platform?: string; proc: string }): string | null
}

/**
 * Replaces Electron's binary. Like Electron, it quits in order at the first signal or when the launcher closes the channel. Unlike
 * Electron, it survives and reports more signals.
 */
const electron = `#!${process.execPath}
const { existsSync, writeFileSync } = require('node:fs')
const runs = __dirname + '/runs'
const isAgain = existsSync(runs)
writeFileSync(runs, '')
const asks = []
const quit = (why) => {
  asks.push(why)
  // An ordered stop takes a while, and signals during it count too.
  if (asks.length === 1) setTimeout(() => {
    console.log('stopped by', asks.sort().join(' and '))
    process.exit(Number(process.env.QUIT_CODE ?? 0))
  }, 500)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, quit)
process.on('disconnect', () => quit('disconnect'))
const act = isAgain ? process.env.AGAIN : process.env.FIRST
console.log('electron', process.argv.slice(2).join(' '), 'key', process.env.SWITCHBOARD_API_KEY, 'as node', process.env.ELECTRON_RUN_AS_NODE, 'stalled', Number(process.env.SWITCHBOARD_STALLED_MS) > 0)
if (/^SIG/.test(act)) { process.removeAllListeners(act); process.kill(process.pid, act) }
else if (act === 'stuck') process.send('restart', () => process.kill(process.pid, 'SIGKILL'))
else if (act) process.exit(Number(act))`

const withElectron = (files: Record<string, string> = {}) =>
  startProject({
    'package.json': '{ "type": "module", "scripts": { "start": "node electron/hosts/start.mjs" } }',
    'node_modules/electron/path.txt': 'electron',
    'node_modules/electron/package.json': '{ "type": "commonjs" }',
    'node_modules/electron/dist/electron': electron,
    // Tests may run as root, which gets no desktop window.
    'not-root.cjs': 'process.getuid = () => 1000',
    ...files,
  })

const environment = (folder: string, env: NodeJS.ProcessEnv = {}) => ({
  DISPLAY: ':99',
  NODE_OPTIONS: `--require ${join(folder, 'not-root.cjs')}`,
  ...env,
})

const start = (folder: string, env: NodeJS.ProcessEnv = {}, args: string[] = []) =>
  launch(folder, args, { env: environment(folder, env) })

// The stand-in is a script, which Windows does not start.
describe.skipIf(process.platform === 'win32')('npm start with Electron', () => {
  test('passes flags but not ELECTRON_RUN_AS_NODE, and returns the exit code', async () => {
    const folder = withElectron()
    const host = start(folder, { FIRST: '3', ELECTRON_RUN_AS_NODE: '1' }, ['--sandbox'])
    expect(await host.exit).toEqual({ code: 3, signal: null })
    expect(host.lines).toEqual([`electron ${folder} --sandbox key undefined as node undefined stalled false`])
  })

  test.runIf(existsSync('/usr/bin/script'))('stops in order, once, on one Ctrl-C', async () => {
    const folder = withElectron()
    const host = startHost({
      // Its own terminal: Ctrl-C reaches npm, the launcher and Electron.
      command: '/usr/bin/script',
      args: ['-qefc', 'npm start --silent', '/dev/null'],
      cwd: folder,
      env: environment(folder),
      stdin: true,
    })
    await host.line(/^electron /)
    host.type('\x03')
    await host.line(/^(\^C)?stopped by SIGINT and disconnect\r?$/)
    await host.exit
  })

  test('stops in order on SIGTERM to the launcher, returns the exit code and does not restart', async () => {
    const host = start(withElectron(), { QUIT_CODE: String(restartCode) })
    await host.line(/^electron /)
    host.signal('SIGTERM')
    expect(await host.exit).toEqual({ code: restartCode, signal: null })
    expect(host.lines.at(-1)).toBe('stopped by disconnect')
    expect(host.lines.filter((line) => line.startsWith('electron '))).toHaveLength(1)
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)('stops in order on %s to npm', async (signal) => {
    const folder = withElectron()
    const npm = startHost({
      command: 'npm',
      args: ['start', '--silent'],
      cwd: folder,
      env: environment(folder),
    })
    await npm.line(/^electron /)
    npm.signal(signal)
    await npm.line(/^stopped by disconnect$/)
    // The output ends when the last process closes it.
    await npm.exit
  })

  test('keeps the environment’s secrets across a restart', async () => {
    const host = start(withElectron(), { SWITCHBOARD_API_KEY: 'k-1', FIRST: String(restartCode), AGAIN: '0' })
    expect(await host.exit).toEqual({ code: 0, signal: null })
    expect(host.lines).toHaveLength(2)
    for (const line of host.lines) expect(line).toContain('key k-1')
    expect(exitCodes.restart).toBe(restartCode)
  })

  test('starts again after an end by force that asked for it, and says why', async () => {
    const host = start(withElectron(), { FIRST: 'stuck', AGAIN: '0' })
    expect(await host.exit).toEqual({ code: 0, signal: null })
    expect(host.lines).toEqual([
      expect.stringMatching(/stalled false$/),
      expect.stringMatching(/stalled true$/),
    ])
  })

  test.each([
    ['SIGTRAP', 'SIGTRAP'],
    ['127', 'exit code 127'],
  ])('falls back to the browser when a start fails with %s', async (act, why) => {
    const host = start(withElectron(), { FIRST: act })
    await host.line(/^host /)
    expect(host.lines).toContain(`Switchboard runs in the browser: Electron could not start (${why}).`)
    await host.kill('SIGTERM')
  })

  test('falls back to the browser when the binary cannot run', async () => {
    const folder = withElectron()
    chmodSync(join(folder, 'node_modules/electron/dist/electron'), 0o644)
    const host = start(folder)
    await host.line(/^Switchboard runs in the browser: Electron could not start \(EACCES\)\.$/)
    await host.line(/^host /)
    await host.kill('SIGTERM')
  })
})

test.each([
  ['linux', {}, 1000, 'there is no display'],
  ['linux', { DISPLAY: ':0' }, 0, 'Electron does not run as root with its sandbox on'],
  ['linux', { DISPLAY: ':0' }, 1000, null],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 1000, null],
  ['darwin', {}, 501, null],
  ['win32', {}, null, null],
])('on %s with %j as user %s: %s', (platform, env, uid, why) => {
  expect(whyNoDesktop({ platform, env, uid })).toBe(why)
})

test('counts a binary only when its file exists', () => {
  const folder = startProject({ 'node_modules/electron/path.txt': 'electron' })
  expect(findElectron(folder, {})).toBe(null)
  mkdirSync(join(folder, 'node_modules/electron/dist'))
  writeFileSync(join(folder, 'node_modules/electron/dist/electron'), '')
  expect(findElectron(folder, {})).toBe(join(folder, 'node_modules/electron/dist/electron'))
  expect(findElectron(startProject(), {})).toBe(null)
})

test.each([
  [{ code: 127, signal: null, asked: false }, 100, true],
  [{ code: null, signal: 'SIGTRAP', asked: false }, 2_000, true],
  [{ code: null, signal: 'SIGTRAP', asked: false }, 60_000, false],
  // Windows: a missing DLL, unsigned and signed, and a failed assertion of Chromium.
  [{ code: 0xc000_0135, signal: null, asked: false }, 100, true],
  [{ code: -1_073_741_515, signal: null, asked: false }, 100, true],
  [{ code: 0x8000_0003, signal: null, asked: false }, 100, true],
  [{ code: 0, signal: null, asked: false }, 100, false],
  [{ code: 3, signal: null, asked: false }, 100, false],
  [{ code: null, signal: 'SIGTRAP', asked: true }, 100, false],
])('takes an end like %j after %d ms for a failed start: %s', (end, tookMs, failed) => {
  expect(isFailedStart(end, tookMs)).toBe(failed)
})

describe('advice for a denied sandbox', () => {
  const trap: End = { code: null, signal: 'SIGTRAP', asked: false }
  function machine(settings: Record<string, string>) {
    const [proc, dist] = [tempFolder(), join(tempFolder(), "it's here")]
    for (const [name, value] of Object.entries(settings)) {
      mkdirSync(join(proc, 'sys', name, '..'), { recursive: true })
      writeFileSync(join(proc, 'sys', name), `${value}\n`)
    }
    mkdirSync(dist)
    writeFileSync(join(dist, 'chrome-sandbox'), '', { mode: 0o755 })
    return { binary: join(dist, 'electron'), proc }
  }

  test('names AppArmor and both commands, quoted, on Ubuntu', () => {
    const { binary, proc } = machine({ 'kernel/apparmor_restrict_unprivileged_userns': '1' })
    const text = sandboxRemedy(binary, trap, { platform: 'linux', proc })!
    const helper = `'${join(binary, '..', 'chrome-sandbox').replace("'", "'\\''")}'`
    expect(text).toMatch(/^AppArmor denies Electron its sandbox\./)
    expect(text).toContain(`sudo chown root:root ${helper} && sudo chmod 4755 ${helper}`)
    expect(text).not.toContain('--no-sandbox')
  })

  test.each([['kernel/unprivileged_userns_clone'], ['user/max_user_namespaces']])(
    'with %s at 0, names the commands',
    (name) => {
      const { binary, proc } = machine({ [name]: '0' })
      expect(sandboxRemedy(binary, trap, { platform: 'linux', proc })).toMatch(/^This system denies/)
    },
  )

  test('says nothing when the sandbox is not the cause', () => {
    const denied = machine({ 'kernel/apparmor_restrict_unprivileged_userns': '1' })
    const end: End = { code: null, signal: 'SIGSEGV', asked: false }
    expect(sandboxRemedy(denied.binary, end, { platform: 'linux', proc: denied.proc })).toBe(null)
    expect(sandboxRemedy(denied.binary, trap, { platform: 'darwin', proc: denied.proc })).toBe(null)
    const allowed = machine({ 'kernel/apparmor_restrict_unprivileged_userns': '0' })
    expect(sandboxRemedy(allowed.binary, trap, { platform: 'linux', proc: allowed.proc })).toBe(null)
  })
})
