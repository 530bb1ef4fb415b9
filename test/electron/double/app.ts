import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSingleInstance } from './instance-lock.ts'
import { DoubleEmitter, loud, MissingInDoubleError, preventable } from './loud.ts'
import { closePages } from './pages.ts'
import { markReady } from './session.ts'
import { endUtilityProcesses } from './utility-process.ts'

/** What the app knows about each of its windows. */
interface OpenWindow {
  close(): void
  destroy(): void
}

/** Windows in the order they were opened. */
export const windows: OpenWindow[] = []

const packageJson = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  name: string
  productName: string
  version: string
}
const appPath = fileURLToPath(new URL('../../..', import.meta.url))
// Electron has this member, Node does not.
Object.assign(process, { resourcesPath: process.env['SWITCHBOARD_DOUBLE_RESOURCES'] ?? appPath })
const events = [
  'ready',
  'window-all-closed',
  'before-quit',
  'will-quit',
  'quit',
  'activate',
  'second-instance',
  'open-file',
  'open-url',
  'web-contents-created',
  'browser-window-created',
  'render-process-gone',
  'child-process-gone',
]
const emitter = new DoubleEmitter('App', events)
const ready = Promise.withResolvers<undefined>()
const instance = createSingleInstance(() => paths.get('userData')!)
/** Protocols that the app registered for. */
const protocols = new Set<string>()
const paths = new Map([
  ['home', homedir()],
  ['temp', tmpdir()],
  ['appData', join(homedir(), '.config')],
  ['userData', join(homedir(), '.config', packageJson.productName)],
])
let isReady = false
let isQuitting = false
let isExiting = false
let sandboxEnabled = false

/** Electron is ready only after the app’s own module has run. */
export function becomeReady(): void {
  if (isExiting) return
  isReady = true
  takeSignals()
  markReady()
  emitter.emit('ready', {}, {})
  ready.resolve(undefined)
}

export function isSandboxEnabled(): boolean {
  return sandboxEnabled
}

/** A window that stays open cancels a quit. */
export function windowStays(): void {
  isQuitting = false
}

/** Removes a window from the list, with the consequences of the last one. */
export function windowClosed(window: OpenWindow): void {
  windows.splice(windows.indexOf(window), 1)
  if (windows.length > 0 || isExiting) return
  if (isQuitting) return finishQuit()
  if (emitter.listenerCount('window-all-closed') === 0) app.quit()
  else emitter.emit('window-all-closed')
}

function finishQuit(): void {
  const event = preventable({})
  emitter.emit('will-quit', event)
  isQuitting = false
  if (!event.defaultPrevented) app.exit(0)
}

const switchOf = (name: string) =>
  process.argv.find((each) => each === `--${name}` || each.startsWith(`--${name}=`))

const members = {
  isPackaged: process.env['SWITCHBOARD_DOUBLE_PACKAGED'] === '1',
  commandLine: loud('CommandLine', {
    hasSwitch: (name: string) => switchOf(name) !== undefined,
    getSwitchValue: (name: string) => switchOf(name)?.split('=')[1] ?? '',
  }),
  isReady: () => isReady,
  whenReady: () => ready.promise,
  enableSandbox(): void {
    if (isReady) throw new Error('app.enableSandbox() can only be called before app is ready')
    sandboxEnabled = true
  },
  setAppUserModelId(): void {
    // Windows only, as in Electron.
  },
  setAsDefaultProtocolClient(protocol: string): boolean {
    if (!/^[a-z][a-z0-9+.-]*$/.test(protocol)) throw new TypeError(`${protocol} is no scheme`)
    protocols.add(protocol)
    return true
  },
  isDefaultProtocolClient: (protocol: string) => protocols.has(protocol),
  getAppPath: () => appPath,
  getName: () => packageJson.productName,
  getLocale: () => switchOf('lang')?.split('=')[1] ?? 'en-US',
  getVersion: () => packageJson.version,
  getPath(name: string): string {
    const found = paths.get(name)
    if (found === undefined) throw new MissingInDoubleError(`The Electron double has no path ${name}`)
    return found
  },
  setPath(name: string, path: string): void {
    if (!paths.has(name)) throw new MissingInDoubleError(`The Electron double has no path ${name}`)
    paths.set(name, path)
  },
  requestSingleInstanceLock(additionalData?: object): boolean {
    return instance.request(additionalData, (argv, cwd, data) =>
      // Chromium puts the switches first.
      emitter.emit(
        'second-instance',
        {},
        argv.toSorted((a, b) => +b.startsWith('-') - +a.startsWith('-')),
        cwd,
        data,
      ),
    )
  },
  quit(): void {
    if (isQuitting || isExiting) return
    const event = preventable({})
    emitter.emit('before-quit', event)
    if (event.defaultPrevented) return
    isQuitting = true
    if (windows.length === 0) return finishQuit()
    for (const window of [...windows]) window.close()
  },
  exit(code = 0): void {
    if (isExiting) return
    isExiting = true
    for (const window of [...windows]) window.destroy()
    emitter.emit('quit', {}, code)
    endUtilityProcesses()
    instance.release()
    void Promise.all([closePages(), instance.notified()]).finally(() => {
      startAgain()
      process.exit(code)
    })
  },
  /**
   * The helper that starts the next process gets the environment as it is now. It runs the app's own binary, which is gone with an
   * AppImage's mount.
   */
  relaunch(options: { args?: string[] } = {}): void {
    const { args = process.argv.slice(2), ...others } = options
    if (Object.keys(others).length > 0)
      throw new MissingInDoubleError(
        `The Electron double has no relaunch option ${Object.keys(others).join(', ')}`,
      )
    if (process.env['APPIMAGE']) return
    relaunches.push({ args: [process.argv[1]!, ...args], env: { ...process.env } })
  },
}

const relaunches: { args: string[]; env: NodeJS.ProcessEnv }[] = []

function startAgain(): void {
  const run = fileURLToPath(new URL('./run.ts', import.meta.url))
  for (const { args, env } of relaunches)
    spawn(process.execPath, [run, ...args], { env, detached: true, stdio: 'ignore' }).unref()
}

/** Electron's `app`. */
export const app = loud('App', Object.assign(emitter, members))

/**
 * Electron’s handlers (`electron_browser_main_parts_posix.cc`): the first signal quits in order and restores the default, so a second one
 * kills. They replace handlers of the app’s module; handlers set after `ready` replace them.
 */
function takeSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    const quitOnce = () => {
      if (process.listenerCount(signal) > 1) return
      process.off(signal, quitOnce)
      app.quit()
    }
    process.on(signal, quitOnce)
  }
}
