import { app, BrowserWindow, nativeTheme, powerMonitor, session } from 'electron'
import { fileURLToPath } from 'node:url'
import electronLog from 'electron-log/node.js'
import { join } from 'node:path'
import type { Ports } from '../../core/ports.ts'
import type { InstanceLock } from '../../database/instance-lock.ts'
import type { HostRequest } from '../../core/connection/desktop/desktop.service.ts'
import { systemClock } from '../../lib/clock.ts'
import { languageOf } from '../../contract/texts.ts'
import { createDisposer } from '../../lib/disposable.ts'
import { createLog, type LogEntry } from '../../lib/log.ts'
import { startCoreThread } from '../core-client.ts'
import { createKeychain } from '../keychain/create-keychain.ts'
import { keychainService } from '../profile.ts'
import { loadRendererFiles } from '../renderer-files.ts'
import { createSandboxStarter } from '../sandbox-client.ts'
import { restartedAfterStall } from '../restart-process.ts'
import type { HostSettings } from '../settings.ts'
import { explain } from '../start-failure.ts'
import { hostLanguage, setHostLanguage } from '../texts.ts'
import { createClosing } from './closing.ts'
import { installContextMenu } from './context-menu.ts'
import { watchCore } from './core-watch.ts'
import { surviveChildren, surviveErrors, surviveRenderer } from './crashes.ts'
import { createElectronChannel } from './electron-channel.ts'
import { installUpdates } from './install-updates.ts'
import { installMenu } from './menu.ts'
import { nativeCapabilities, nativePorts } from './native-ports.ts'
import { createNotifier } from './notifications.ts'
import type { collectOpened } from './opened.ts'
import { offerPorts } from './port-channel.ts'
import { serveConsole, serveFromVite, viteServer } from './protocol.ts'
import { offerRestart, restartStuck, say } from './refusal.ts'
import { restrictPermissions, restrictRequests } from './security/session.ts'
import { showsTrayIcons } from './session-tray.ts'
import { quitOnSignals, stopBeforeQuit } from './stop.ts'
import { t } from './texts.ts'
import { installTray } from './tray.ts'
import { openWindow } from './window.ts'
import { formatLogLine } from '../log-lines.ts'

/** At this size the log starts over; the previous one stays as `main.old.log`. */
const maxSizeBytes = 5 * 1024 * 1024

/** Writes redacted log lines to `logs/main.log` of the profile. */
function createFileLog(dataDir: string): (entry: LogEntry) => void {
  const file = electronLog.create({ logId: 'switchboard' })
  file.transports.file.resolvePathFn = () => join(dataDir, 'logs', 'main.log')
  file.transports.file.maxSize = maxSizeBytes
  file.transports.file.format = '{text}'
  file.transports.console.level = false
  return (entry) => file[entry.level](formatLogLine(entry))
}

/** A profile locked for this process. */
export interface OpenedProfile {
  settings: HostSettings
  /** Absolute, existing, 0700. */
  dataDir: string
  lock: InstanceLock
}

/** In the build this file is part of `out/main/main.js`. */
const built = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/**
 * Assembles the desktop console, in an order that paints the window while the core opens its databases.
 * Everything stops in reverse before the app quits.
 */
export function startConsole(
  { settings, dataDir, lock }: OpenedProfile,
  toOpen: ReturnType<typeof collectOpened>,
): void {
  setHostLanguage(languageOf(app.getLocale()))
  const writeLog = createFileLog(dataDir)
  const scoped = (scope: string) => createLog(writeLog, scope)
  const log = scoped('host')
  const running = createDisposer()
  running.add(() => lock.release())
  // It runs only after this function: the core exists then.
  stopBeforeQuit(running, () => core.isRunning(), log)
  quitOnSignals()
  surviveErrors(dataDir, log)
  surviveChildren(log)

  const vite = app.isPackaged ? null : viteServer(process.env)
  // Persistent for what the page stores: phone region, drafts of notes and templates. Never a secret.
  const own = session.fromPartition('persist:console', { cache: false })
  restrictPermissions(own)
  restrictRequests(own, app.isPackaged, vite)
  if (vite === null) serveConsole(own, loadRendererFiles(built('renderer')))
  else serveFromVite(own, vite)

  const keychain = createKeychain({
    spawn: createElectronChannel,
    service: keychainService(dataDir),
    clock: systemClock,
    log: scoped('keychain'),
  })
  running.add(() => keychain.stop())
  const sandbox = createSandboxStarter({ dataDir, log: scoped('sandbox') })
  running.add(() => sandbox.stop())
  const ports: Ports = {
    ...nativePorts,
    notify: createNotifier((key) => {
      show()
      core.ask({ kind: 'note', key })
    }),
    secrets: keychain,
    dataDir,
    capabilities: nativeCapabilities(),
    openSandbox: () => sandbox.open(),
    log: writeLog,
  }
  const core = startCoreThread({
    ports,
    config: {
      version: app.getVersion(),
      systemLanguage: hostLanguage(),
      startWith: settings.startWith,
      ...(settings.listenerPort === null ? {} : { listenerPort: settings.listenerPort }),
    },
    log,
    stalledBefore: restartedAfterStall(process.env),
    restartProcess: restartStuck,
  })
  running.add(() => core.stop())
  powerMonitor.on('suspend', () => core.power('suspend'))
  powerMonitor.on('resume', () => core.power('wake'))
  core.onCrash(({ error, isFinal }) => {
    if (!isFinal) return
    const [sentence] = explain(error)
    void offerRestart(sentence ?? t('restart.core'), dataDir)
  })
  const watch = watchCore({ connect: () => core.connect(), clock: systemClock, log })
  running.add(() => watch.stop())
  const closing = createClosing({
    state: watch.state,
    hasTray: async () => tray.isAvailable && (await showsTrayIcons(process.platform)),
    log,
  })
  core.ready.then(
    ({ listenerUrl }) => log.info('The core is ready', { listenerUrl }),
    (error: unknown) => {
      if (closing.isQuitting()) return
      log.error('The core could not start', { error })
      const [sentence, exitCode] = explain(error)
      if (sentence === null) return void offerRestart(t('restart.start'), dataDir)
      say(sentence)
      process.exitCode = exitCode
      app.quit()
    },
  )

  offerPorts(() => core.connect(), log)
  const open = () => {
    const window = openWindow({
      session: own,
      preload: built('preload/preload.cjs'),
      dataDir,
      packaged: app.isPackaged,
      log,
    })
    surviveRenderer(window, log)
    closing.attach(window)
    installContextMenu(window, (request) => core.ask(request))
  }
  open()
  function show(): void {
    const [window] = BrowserWindow.getAllWindows()
    if (!window) return open()
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }
  app.on('activate', show)
  running.add(() => own.flushStorageData())
  const ask = (request: HostRequest) => {
    show()
    core.ask(request)
  }
  const showMenu = () => installMenu(dataDir, { ask, quit: closing.quit }, log)
  showMenu()
  // Subscribed before the tray, so that the tray is drawn in the new language.
  watch.onState((state) => {
    if (!state) return
    nativeTheme.themeSource = state.theme
    if (state.language === hostLanguage()) return
    setHostLanguage(state.language)
    showMenu()
  })
  const tray = installTray({ core: watch, showWindow: show, ask, quit: closing.quit, log })
  running.add(tray.remove)
  toOpen.deliverTo((request) => core.ask(request), show)
  running.add(
    installUpdates({ feedUrl: process.env['SWITCHBOARD_UPDATE_URL'], dataDir, log: scoped('updates') }),
  )
  app.on('window-all-closed', () => {
    // On a Mac the app keeps running without a window, and so does the listener.
    if (process.platform !== 'darwin') app.quit()
  })
}
