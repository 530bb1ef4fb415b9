import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { defaultDataDir } from '#electron/hosts/profile.ts'
import { readDesktopSettings, readSettings } from '#electron/hosts/settings.ts'
import { setHostLanguage } from '#electron/hosts/texts.ts'
import { UsageError } from '#electron/lib/command-line.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

describe('the settings of the browser host', () => {
  test('defaults to a free port, the last connection and an open browser', () => {
    expect(readSettings([], {})).toEqual({
      port: 0,
      dataDir: null,
      openBrowser: true,
      startWith: { kind: 'last' },
      listenerPort: null,
    })
  })

  test('prefers flags over the environment', () => {
    const settings = readSettings(
      ['--port', '8080', '--data-dir', '/a', '--no-open', '--connection', 'staging'],
      {
        SWITCHBOARD_DATA_DIR: '/b',
        SWITCHBOARD_LISTENER_PORT: '0',
      },
    )
    expect(settings).toEqual({
      port: 8080,
      dataDir: '/a',
      openBrowser: false,
      startWith: { kind: 'connection', name: 'staging' },
      listenerPort: 0,
    })
  })

  test('starts unattended with an address, and secrets from files and descriptors, without the newline', () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'key'), 'k-1\n', { mode: 0o600 })
    writeFileSync(join(folder, 'secret'), ' s 1 \r\n', { mode: 0o600 })
    const descriptor = openSync(join(folder, 'secret'), 'r')
    const warnings: string[] = []
    const env = {
      SWITCHBOARD_BASE_URL: 'https://x.example/v1',
      SWITCHBOARD_API_KEY_FILE: join(folder, 'key'),
      SWITCHBOARD_WEBHOOK_SECRET_FILE: `/dev/fd/${descriptor}`,
    }
    expect(readSettings([], env, (text) => warnings.push(text)).startWith).toEqual({
      kind: 'unattended',
      baseUrl: 'https://x.example/v1',
      apiKey: 'k-1',
      webhookSecret: ' s 1 ',
    })
    closeSync(descriptor)
    expect(warnings).toEqual([])
  })

  // macOS gives a pipe without a name this mode.
  test.runIf(process.platform !== 'win32')('reads a pipe by its descriptor with any mode', () => {
    const pipe = join(tempFolder(), 'pipe')
    execFileSync('mkfifo', ['-m', '660', pipe])
    const descriptor = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
    onTestFinished(() => closeSync(descriptor))
    writeFileSync(pipe, 'k-1\n')
    const env = {
      SWITCHBOARD_BASE_URL: 'https://x.example/v1',
      SWITCHBOARD_API_KEY_FILE: `/dev/fd/${descriptor}`,
    }
    const warnings: string[] = []
    expect(readSettings([], env, (text) => warnings.push(text)).startWith).toMatchObject({ apiKey: 'k-1' })
    expect(warnings).toEqual([])
  })

  test.runIf(process.platform !== 'win32')(
    'warns about a secret file that others can read without quoting it',
    () => {
      const file = join(tempFolder(), 'key')
      writeFileSync(file, 'key-of-the-test\n')
      chmodSync(file, 0o644)
      const warnings: string[] = []
      const env = { SWITCHBOARD_BASE_URL: 'https://x.example/v1', SWITCHBOARD_API_KEY_FILE: file }
      readSettings([], env, (text) => warnings.push(text))
      expect(warnings).toEqual([
        'Other users can read the file of SWITCHBOARD_API_KEY_FILE. Run chmod 600 on it.',
      ])
    },
  )

  test('refuses in the language of the system', () => {
    setHostLanguage('es')
    onTestFinished(() => setHostLanguage('en'))
    expect(() => readSettings(['--port', '70000'], {})).toThrow(
      '--port debe ser un puerto de 0 a 65535, no «70000». No se ha iniciado nada.',
    )
    expect(() => readSettings(['--sandbox', '--connection', 'x'], {})).toThrow(
      '--connection y --sandbox indican servicios distintos.',
    )
  })

  test('refuses an empty secret file', () => {
    const file = join(tempFolder(), 'key')
    writeFileSync(file, '\n', { mode: 0o600 })
    expect(() => readSettings([], { SWITCHBOARD_API_KEY_FILE: file })).toThrow(/_FILE is empty\./)
  })

  const keyed = { SWITCHBOARD_BASE_URL: 'https://x.example/v1', SWITCHBOARD_API_KEY: 'key-of-the-test' }
  const hook = { SWITCHBOARD_WEBHOOK_SECRET: 'key-of-the-test' }
  test.each<[string[], Record<string, string>, RegExp]>([
    [['--nope'], {}, /^Unknown option '--nope'\. Nothing was started\. Usage: /],
    [['extra'], {}, /^Unexpected argument 'extra'\./],
    [['--port', '70000'], {}, /^--port must be a port from 0 to 65535, not “70000”\./],
    [['--port'], {}, /Nothing was started/],
    [['--data-dir', ''], {}, /^--data-dir needs a value\./],
    [['--connection', '  '], {}, /^--connection needs a value\./],
    [['--sandbox', '--connection', 'x'], {}, /^--connection and --sandbox name different services\./],
    [['--sandbox'], keyed, /^--sandbox and SWITCHBOARD_BASE_URL and .*_KEY name different services\./],
    [[], { SWITCHBOARD_BASE_URL: 'https://x.example/v1' }, /^SWITCHBOARD_API_KEY is missing\./],
    [[], { SWITCHBOARD_API_KEY: 'key-of-the-test' }, /^SWITCHBOARD_BASE_URL is missing\./],
    [[], hook, /^SWITCHBOARD_WEBHOOK_SECRET is only used with /],
    [
      [],
      { ...keyed, SWITCHBOARD_API_KEY_FILE: '/nowhere' },
      /^SWITCHBOARD_API_KEY and .*_FILE are both set\./,
    ],
    [[], { SWITCHBOARD_API_KEY_FILE: '/no/key' }, /^The file of .*_API_KEY_FILE can’t be read \(ENOENT\)/],
    [[], { SWITCHBOARD_LISTENER_PORT: 'x' }, /^SWITCHBOARD_LISTENER_PORT must be a port/],
    [[], { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /^NODE_TLS_REJECT_UNAUTHORIZED=0 would let anyone read/],
  ])('%j with %j is refused with a message', (args, env, sentence) => {
    expect(() => readSettings(args, env)).toThrow(UsageError)
    expect(() => readSettings(args, env)).toThrow(sentence)
    expect(() => readSettings(args, env)).not.toThrow(/key-of-the-test/)
  })
})

describe('the settings of the desktop host', () => {
  test('uses flags after the app’s folder, before the environment', () => {
    const args = ['/the/app', '--data-dir', '/a', '--connection=staging']
    expect(readDesktopSettings(args, { SWITCHBOARD_DATA_DIR: '/b' })).toMatchObject({
      dataDir: '/a',
      startWith: { kind: 'connection', name: 'staging' },
    })
  })

  test.each([
    ['the app alone', ['/the/app']],
    ['nothing, as when packaged', []],
    [
      'switches of Chromium',
      ['--inspect=0', '--remote-debugging-port=0', '/the/app', '--ozone-platform=x11'],
    ],
    ['switches of Chromium with one dash', ['/the/app', '-psn_0_1234', '--', 'extra']],
  ])('%s: opens the last connection in the default folder', (_name, args) => {
    expect(readDesktopSettings(args, {})).toMatchObject({ dataDir: null, startWith: { kind: 'last' } })
  })

  test('does not open the sandbox for Chromium’s --no-sandbox', () => {
    expect(readDesktopSettings(['/the/app', '--no-sandbox'], {}).startWith).toEqual({ kind: 'last' })
    expect(readDesktopSettings(['/the/app', '--sandbox'], {}).startWith).toEqual({ kind: 'sandbox' })
  })

  test.each<[string[], RegExp]>([
    [['--data-dir'], /Nothing was started/],
    [['--connection', ''], /^--connection needs a value\./],
    [['--sandbox', '--connection', 'x'], /name different services/],
    [['--port', '80'], /^--port is for Switchboard in the browser\. .*npm run serve/],
    [['--no-open'], /^--no-open is for Switchboard in the browser\./],
  ])('%j is refused with a message', (args, sentence) => {
    expect(() => readDesktopSettings(['/the/app', ...args], {})).toThrow(UsageError)
    expect(() => readDesktopSettings(['/the/app', ...args], {})).toThrow(sentence)
  })
})

test.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
  ['linux', {}, '/home/op/.local/share/switchboard'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/data/switchboard'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/op/.local/share/switchboard'],
  ['darwin', {}, '/home/op/Library/Application Support/Switchboard'],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/Switchboard'],
])('uses the data folder on %s with %j', (platform, env, path) => {
  expect(defaultDataDir(env, platform, '/home/op')).toBe(path)
})
