import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from 'node:child_process'
import type { ErrorView } from '../../contract/define.ts'
import { AppError, errorText } from '../../contract/errors.ts'
import type { Ports } from '../../core/ports.ts'
import { lockProfile } from '../../database/instance-lock.ts'
import { systemClock } from '../../lib/clock.ts'
import { endOnSignal, exitCodes, ignoreTerminal } from '../../lib/command-line.ts'
import { createDisposer } from '../../lib/disposable.ts'
import { createLog } from '../../lib/log.ts'
import { releaseMemoryAfterStart } from '../../lib/release-memory.ts'
import { type CoreThread, startCoreThread } from '../core-client.ts'
import { createKeychain } from '../keychain/create-keychain.ts'
import { createNodeChannel } from '../keychain/node-channel.ts'
import { createTerminal } from '../log-lines.ts'
import { defaultDataDir, keychainService, prepareDataDir } from '../profile.ts'
import { rememberedPort } from '../remembered-port.ts'
import { loadRendererFiles } from '../renderer-files.ts'
import { createSandboxStarter } from '../sandbox-client.ts'
import { endNow, restartedAfterStall, restartProcess } from '../restart-process.ts'
import { environmentProxy, readSettings } from '../settings.ts'
import { explain } from '../start-failure.ts'
import { hostLanguage } from '../texts.ts'
import { withdrawSecrets, wholeEnvironment } from '../withdrawn-secrets.ts'
import { startWebServer } from './http-server.ts'
import { acceptSockets } from './ws-server.ts'

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['/usr/bin/open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens the operator's browser if the platform has a program for it; the address is in the terminal anyway.
 * On Linux only with a display: a text browser would take over the terminal.
 */
function openBrowser(url: string): void {
  const hasDisplay = Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])
  const [program, ...args] = openers[process.platform] ?? (hasDisplay ? ['xdg-open'] : [])
  if (program === undefined) return
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  // The system may not have it.
  child.on('error', () => {})
  child.unref()
}

/** After this the process ends by force. The core's own deadline is shorter. */
const stopDeadlineMs = 12_000

/** In the build this file is `out/main/node-host.js`. */
const atRoot = (path: string) =>
  fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? `../../../${path}` : `../../${path}`, import.meta.url),
  )

process.title = ['switchboard', ...process.argv.slice(2)].join(' ')
const terminal = createTerminal(
  (line) => process.stdout.write(`${line}\n`),
  process.env['SWITCHBOARD_LOG'] === 'debug',
)
const scoped = (scope: string) => createLog(terminal.log, scope)
const log = scoped('host')
const running = createDisposer()
let stopping: Promise<void> | null = null
let core: CoreThread | null = null

/** A port that only a desktop can provide. */
function unsupported(ability: 'openLink' | 'notify' | 'fileDialog') {
  return () => Promise.reject(new AppError('UNSUPPORTED', { capability: { key: `ability.${ability}` } }))
}

/** Stops in reverse, once, and by force after the deadline. */
function stop(exitCode: number): Promise<void> {
  process.exitCode ||= exitCode
  stopping ??= (async () => {
    setTimeout(() => {
      if (core?.isRunning()) endNow()
      process.exit(process.exitCode || exitCodes.failed)
    }, stopDeadlineMs).unref()
    try {
      await running.dispose()
    } catch (error) {
      process.exitCode ||= exitCodes.failed
      log.error('The console did not stop cleanly; acknowledged data is kept', { error })
    }
    log.info('Stopped')
    terminal.release()
    if (core?.isRunning()) endNow()
    if (process.connected) process.disconnect()
  })()
  return stopping
}

ignoreTerminal()
process.on('uncaughtException', (error) => {
  terminal.release()
  log.error('Uncaught error; the console stops', { error })
  void stop(exitCodes.failed)
})
process.on('unhandledRejection', (error) => log.error('Unhandled rejection', { error }))
endOnSignal(() => void stop(exitCodes.clean))

async function start(): Promise<void> {
  process.umask(0o077)
  releaseMemoryAfterStart()
  if (process.getuid?.() === 0)
    log.warn('Switchboard runs as root, so a flaw in it affects the whole computer. Use an ordinary user.')
  const settings = readSettings(process.argv.slice(2), process.env, (sentence) => log.warn(sentence))
  withdrawSecrets()
  const files = loadRendererFiles(process.env['SWITCHBOARD_RENDERER_DIR'] || atRoot('out/renderer'))
  const { version } = JSON.parse(readFileSync(atRoot('package.json'), 'utf8')) as { version: string }
  const dataDir = prepareDataDir(settings.dataDir ?? defaultDataDir())
  const lock = lockProfile(dataDir)
  running.add(() => lock.release())

  const keychain = createKeychain({
    spawn: createNodeChannel,
    service: keychainService(dataDir),
    clock: systemClock,
    log: scoped('keychain'),
  })
  running.add(() => keychain.stop())
  const sandbox = createSandboxStarter({ dataDir, log: scoped('sandbox') })
  running.add(() => sandbox.stop())
  // The core will ask for both, so they start while it loads.
  void keychain.probe()
  if (settings.startWith.kind === 'sandbox') sandbox.open().catch(() => {})

  const ports: Ports = {
    secrets: keychain,
    dataDir,
    capabilities: ['sessions'],
    openSandbox: () => sandbox.open(),
    openExternal: unsupported('openLink'),
    notify: unsupported('notify'),
    resolveProxies: async (origin) => [environmentProxy(origin)],
    saveFile: unsupported('fileDialog'),
    log: terminal.log,
    listening: showListening,
  }
  const web = await startWeb(files, settings.port, dataDir)
  running.add(() => web.close())
  // A signal during the start has already stopped the rest.
  if (stopping !== null) return web.close()
  const started = startCoreThread({
    ports,
    config: {
      version,
      systemLanguage: hostLanguage(),
      startWith: settings.startWith,
      pagePort: web.port,
      ...(settings.listenerPort === null ? {} : { listenerPort: settings.listenerPort }),
    },
    log,
    stalledBefore: restartedAfterStall(process.env),
    restartProcess: () => restartProcess(wholeEnvironment()),
  })
  core = started
  running.add(() => started.stop())
  running.add(acceptSockets(web, () => started.connect(), log, systemClock, started.ready))
  started.onCrash(({ error, isFinal }) => {
    if (!isFinal) return
    const [sentence, exitCode] = explain(error)
    terminal.say(
      sentence ??
        'Switchboard crashed twice and was stopped. Your data is safe. Start it again; the log above has details.',
    )
    void stop(exitCode)
  })

  // The ready lines show the first address; later ones come from a new connection or port.
  let shownUrl: string | null | undefined
  function showListening(url: string): void {
    if (shownUrl === undefined || shownUrl === url) return
    shownUrl = url
    terminal.say(listenerLine(url, null))
  }
  // The browser loads the page while the core starts.
  const link = web.access.link()
  terminal.say(`Switchboard ready: ${link}`)
  if (settings.openBrowser) openBrowser(link)
  const { listenerUrl, problem } = await started.ready
  terminal.say(listenerLine(listenerUrl, problem))
  shownUrl = listenerUrl
  terminal.release()
}

/** On the requested port, else the last one, so that an open page finds it, else a free one. */
async function startWeb(files: ReturnType<typeof loadRendererFiles>, port: number, dataDir: string) {
  const lastPort = rememberedPort(join(dataDir, 'web-port'))
  const options = {
    files,
    printLink: (link: string) => terminal.say(`New link, for one browser: ${link}`),
    log,
  }
  const requestedPort = port === 0 ? lastPort.read() : port
  const web = await startWebServer({ ...options, port: requestedPort }).catch((error: unknown) => {
    if (port !== 0 || requestedPort === 0) throw error
    return startWebServer({ ...options, port: 0 })
  })
  lastPort.write(web.port)
  return web
}

function listenerLine(url: string | null, problem: ErrorView | null): string {
  if (url !== null) return `Webhook listener ready: ${url}`
  return `Webhook listener not running: ${problem ? errorText(problem.code, problem.data) : 'no messaging service is connected yet.'}`
}

try {
  await start()
} catch (error) {
  // A signal during the start is no failure.
  if (stopping === null) {
    const [sentence, exitCode] = explain(error)
    if (sentence !== null) process.stderr.write(`${sentence}\n`)
    else {
      log.error('Switchboard could not start. Your data is safe.', { error })
      terminal.release()
    }
    await stop(exitCode)
  }
}
