import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { closeChromium } from './chromium.ts'
import { preventable } from './problems.ts'
import { endUtilityProcesses } from './utility-process.ts'

interface OpenWindow {
  close(): void
}

export const windows: OpenWindow[] = []

const appPath = fileURLToPath(new URL('../../..', import.meta.url))
const { productName, version } = JSON.parse(readFileSync(`${appPath}/package.json`, 'utf8')) as {
  productName: string
  version: string
}
// Electron has this member, Node does not.
Object.assign(process, { resourcesPath: process.env['SWITCHBOARD_DOUBLE_RESOURCES'] ?? appPath })
const emitter = new EventEmitter()
const ready = Promise.withResolvers<null>()
const paths = new Map<string, string>()
let isQuitting = false
let isExiting = false

/** Electron is ready only after the app’s own module has run. It then replaces the handlers of signals. */
export function becomeReady(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
  ready.resolve(null)
}

/** A window that stays open cancels a quit. */
export function windowStays(): void {
  isQuitting = false
}

/** Removes a window, with the consequences of the last one. */
export function windowClosed(window: OpenWindow): void {
  windows.splice(windows.indexOf(window), 1)
  if (windows.length > 0 || isExiting) return
  if (isQuitting) finishQuit()
  else emitter.emit('window-all-closed')
}

function finishQuit(): void {
  const event = preventable()
  emitter.emit('will-quit', event)
  isQuitting = false
  if (!event.defaultPrevented) app.exit(0)
}

const hasSwitch = (name: string) => process.argv.some((each) => each.split('=')[0] === `--${name}`)

/** Electron's `app`. */
export const app = Object.assign(emitter, {
  isPackaged: process.env['SWITCHBOARD_DOUBLE_PACKAGED'] === '1',
  commandLine: { hasSwitch },
  whenReady: () => ready.promise,
  enableSandbox() {},
  setAppUserModelId() {},
  setAsDefaultProtocolClient: () => true,
  getAppPath: () => appPath,
  getName: () => productName,
  getLocale: () => 'en-US',
  getVersion: () => version,
  getPath: (name: string) => paths.get(name)!,
  setPath: (name: string, path: string) => void paths.set(name, path),
  // One console per profile: tests of a second one run in Electron only.
  requestSingleInstanceLock: () => true,
  quit(): void {
    if (isQuitting || isExiting) return
    emitter.emit('before-quit', preventable())
    isQuitting = true
    if (windows.length === 0) return finishQuit()
    for (const window of [...windows]) window.close()
  },
  exit(code = 0): void {
    if (isExiting) return
    isExiting = true
    emitter.emit('quit', {}, code)
    endUtilityProcesses()
    void closeChromium().finally(() => process.exit(code))
  },
})
