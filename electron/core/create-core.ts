import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { SecretsView } from '../contract/connection/connections.ts'
import type { ErrorView } from '../contract/define.ts'
import { AppError } from '../contract/errors.ts'
import { openDatabase } from '../database/open.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createDisposer } from '../lib/disposable.ts'
import { isoTime } from '../lib/iso-time.ts'
import { createLog } from '../lib/log.ts'
import { createPulse } from '../lib/pulse.ts'
import type { Random } from '../lib/random.ts'
import type { Language } from '../contract/texts.ts'
import { createRestoredState } from './connection/backup/restored-state.ts'
import { createRestoreService } from './connection/backup/restore.service.ts'
import { createConnectionsRepository } from './connection/connections.repository.ts'
import { createConnectionsService } from './connection/connections.service.ts'
import { createRemovedFolders } from './connection/removed-folders.ts'
import { createSavedSecrets, secretsViewOf } from './connection/saved-secrets.ts'
import { observeSecrets } from './connection/observed-secrets.ts'
import { createNewSignIns } from './connection/new-sign-ins.ts'
import { createSignIns } from './connection/sign-in.ts'
import { createDesktopService, type HostRequest } from './connection/desktop/desktop.service.ts'
import { createConnectionActivity } from './connection/connection-activity.ts'
import { createListenerPlace, listenerPath } from './live/listener/listener-settings.ts'
import { createListenerThreads } from './live/listener/listener-thread-client.ts'
import { createAlertWebhook } from './platform/notifications/alert-webhook.ts'
import { createNotificationsService } from './platform/notifications/notifications.service.ts'
import type { Ports } from './ports.ts'
import { createContext, router, streamEnd } from './connection/router.ts'
import { createServer } from './platform/rpc/serve.ts'
import { toAppError, viewOf } from './platform/rpc/errors.ts'
import { whyUnreachable } from './service/client/http-errors.ts'
import { createServiceFetch } from './service/client/service-fetch.ts'
import { createFieldNameStore } from './service/field-names/field-name-store.ts'
import { createSettingsRepository } from './platform/settings/settings.repository.ts'
import { createSettingsService } from './platform/settings/settings.service.ts'
import { readDiagnostics } from './connection/status/diagnostics.ts'
import { noListener, readStatus } from './connection/status/read-status.ts'
import { createNotices, createStatusService } from './connection/status/status.service.ts'
import { watchSleep } from './connection/sleep-watch.ts'
import { createOpenConnections } from './connection/open-connections.ts'
import { openConnection } from './connection/open-connection.ts'

export interface CoreConfig {
  version: string
  /** For operators who have not chosen a language; default English. */
  systemLanguage?: Language
  /** Which connection to open at start. */
  startWith:
    | { kind: 'none' }
    | { kind: 'last' }
    | { kind: 'sandbox' }
    | { kind: 'connection'; name: string }
    | { kind: 'unattended'; baseUrl: string; apiKey: string; webhookSecret?: string }
  /** Why this core replaces an earlier one, for a notice to the operator. */
  restartAfter?: 'crash' | 'stall'
  /** Overrides the webhook listener's port from the settings; 0 takes any free one. */
  listenerPort?: number
  /** Port of the host's own page, if it has one. The listener cannot use it. */
  pagePort?: number
}

export interface Core {
  /** Answers a renderer's calls on `port` until it closes. Returns a function that closes it. */
  serve(port: MessagePort): () => void
  /**
   * Opens the configured connection, then the others in the background. If that fails, Switchboard starts without it
   * and `problem` says why.
   * Rejects with a `STORAGE_*` AppError when the profile itself cannot be used.
   */
  start(): Promise<{ listenerUrl: string | null; problem: ErrorView | null }>
  /** Shows something on the page. An invalid link or file shows a banner there. */
  ask(request: HostRequest): Promise<void>
  /** Called before the machine sleeps. Resolves when the gap is recorded. */
  suspend(): Promise<void>
  /** Called after the machine wakes. */
  wake(): Promise<void>
  stop(): Promise<void>
}

/** Builds the core over the host's ports. Nothing runs before `start`. */
export function createCore(
  hostPorts: Ports,
  config: CoreConfig,
  { clock = systemClock, random = Math.random }: { clock?: Clock; random?: Random } = {},
): Core {
  const scoped = (scope: string) =>
    createLog(
      (entry) => hostPorts.log(entry),
      scope,
      () => clock.now(),
    )
  const log = scoped('core')
  const closing = createDisposer()
  const consoleDb = openDatabase({
    file: join(hostPorts.dataDir, 'console.db'),
    schema: 'console',
    log: scoped('database'),
    now: () => clock.now(),
  })
  closing.add(() => consoleDb.close())

  const changed = createPulse()
  const switched = createPulse()
  const notices = createNotices(changed)
  const startedAt = isoTime(clock.now())
  const settingsRepository = createSettingsRepository(consoleDb.db, clock)
  const repository = createConnectionsRepository(consoleDb.db, clock)
  const settings = createSettingsService(settingsRepository, config.systemLanguage)
  const fieldNameStore = createFieldNameStore(settingsRepository)
  let secrets: SecretsView = { kind: 'memory', problem: null }
  const secretStore = observeSecrets(hostPorts.secrets, (state) => {
    secrets = secretsViewOf(state)
    changed.fire()
  })
  const ports: Ports = { ...hostPorts, secrets: secretStore }
  const savedSecrets = createSavedSecrets(secretStore, repository, log)
  const removedFolders = createRemovedFolders(ports.dataDir, repository, log)

  const service = createServiceFetch({ resolveProxies: ports.resolveProxies, log: scoped('service') })
  closing.add(() => service.close())
  const alertWebhook = createAlertWebhook({
    db: consoleDb.db,
    secrets: secretStore,
    forgetSecret: savedSecrets.forget,
    settings: settingsRepository,
    fetch: service.fetch,
    whyUnreachable,
    language: settings.language,
    clock,
    log: scoped('alerts'),
  })
  closing.add(() => alertWebhook.stop())
  const notifications = createNotificationsService({
    ports,
    repository: settingsRepository,
    postAlert: alertWebhook.post,
    language: settings.language,
    clock,
    log: scoped('notifications'),
  })
  const signIns = createSignIns({
    savedSecrets,
    fieldNames: fieldNameStore.of,
    clock,
    random,
    log: scoped('service'),
    fetch: service.fetch,
    onChange: changed.fire,
  })
  const listenerPlace = createListenerPlace(settingsRepository, config.listenerPort)
  const listenerThreads = createListenerThreads()
  const restored = createRestoredState(settingsRepository)
  const open = createOpenConnections({
    settings: settingsRepository,
    async openConnection(connection, signIn, startSecrets, isInFront) {
      await removedFolders.makeRoom(connection.id)
      return openConnection({
        ports,
        connection,
        signIn,
        restored,
        fieldNameStore,
        settings: settingsRepository,
        consoleDb: consoleDb.db,
        startSecrets,
        listenerPlace,
        listenerThreads,
        pagePort: config.pagePort,
        keepSecret: savedSecrets.keep,
        forgetSecret: savedSecrets.forget,
        clock,
        logOf: scoped,
        notice: (id, error, severity = 'error') => notices.show(id, severity, error, connection.id),
        clearNotice: (id) => notices.dismiss(id, connection.id),
        notify: notifications.notify,
        withdrawNote: notifications.withdraw,
        reloadNotes: notifications.reload,
        onChange: changed.fire,
        language: settings.language,
        isInFront,
      })
    },
    onFront(connection) {
      repository.touch(connection.id)
      notices.dismiss('start')
      switched.fire()
    },
    onChange: changed.fire,
    log,
  })
  const activity = createConnectionActivity({
    list: repository.list,
    open,
    pathOf: (id) => listenerPath(settingsRepository, id),
    errorOf: notices.errorOf,
    changed,
    clock,
  })
  const connections = createConnectionsService({
    ports,
    repository,
    savedSecrets,
    removedFolders,
    signIns,
    newSignIns: createNewSignIns(repository, signIns),
    settingsRepository,
    restored,
    open,
    onRemoved: notifications.forgetConnection,
    log,
    onChange: changed.fire,
  })
  const status = createStatusService({
    read(id) {
      const named = id === undefined ? null : open.find(id)
      if (id !== undefined && !named && connections.mayOpen(id)) return null
      return { ...readStatus(named ?? connections.active(), clock), secrets }
    },
    notices,
    changed,
    switched,
    clock,
  })

  const restore = createRestoreService({
    dataDir: ports.dataDir,
    settings: settingsRepository,
    restored,
    isSaved: (id) => repository.find(id) !== undefined,
    save: (connection) => connections.adopt(connection),
    clock,
    log: scoped('restore'),
  })
  const desktop = createDesktopService({
    active: () => connections.active(),
    all: open.all,
    troubled: activity.troubled,
    settings,
    repository: settingsRepository,
    openNote: (key) =>
      notifications.open(key, (id) =>
        connections.open(id).then(
          () => true,
          () => false,
        ),
      ),
    clock,
  })
  const about = () => ({
    version: config.version,
    parts: ['node', 'electron', 'chrome', 'v8', 'openssl']
      .map((name) => ({ name, version: process.versions[name] ?? '' }))
      .filter(({ version }) => version !== '')
      .concat({ name: 'sqlite', version: sqliteVersion(consoleDb.db) }),
    capabilities: [...ports.capabilities],
    dataDir: ports.dataDir,
  })
  const context = createContext(
    {
      clock,
      connections,
      activity,
      restore,
      settings,
      fieldNameStore,
      status,
      notices,
      notifications,
      alertWebhook,
      desktop,
      about,
      diagnostics: (connectionId) => {
        const { version, parts, capabilities, dataDir } = about()
        return readDiagnostics({
          version,
          versions: parts,
          capabilities,
          dataDir,
          startedAt,
          secrets,
          open: connectionId === undefined ? connections.active() : open.find(connectionId),
          proxyHost: service.proxyHost,
        })
      },
    },
    open,
  )

  if (consoleDb.setAside) {
    const { asideFile, lost } = consoleDb.setAside
    notices.show(
      'damage/console',
      'error',
      new AppError('STORAGE_DAMAGED', {
        file: 'console.db',
        asideFile: asideFile ?? { key: 'salvage.nothingAside' },
        lost,
      }),
    )
  }

  if (config.restartAfter !== undefined) {
    const code = config.restartAfter === 'stall' ? 'CORE_STALLED' : 'CORE_RESTARTED'
    notices.show('restart', 'warning', new AppError(code, { at: { time: isoTime(clock.now()) } }))
  }

  async function openFirst(): Promise<void> {
    const { startWith } = config
    if (startWith.kind === 'sandbox') await connections.openSandbox()
    else if (startWith.kind === 'connection') await connections.openByName(startWith.name)
    else if (startWith.kind === 'unattended') await connections.openUnattended(startWith)
    else if (startWith.kind === 'last') await connections.openLast()
  }

  async function wake(): Promise<void> {
    log.info('Awake after a sleep')
    await Promise.all(open.all().map((one) => one.wake()))
  }

  return {
    serve: createServer(router, context, log, streamEnd),
    async start() {
      closing.add(() => connections.stop())
      closing.add(
        watchSleep(
          clock,
          () => void wake().catch((error: unknown) => log.warn('The check after a sleep failed', { error })),
        ),
      )
      await ports.secrets.probe()
      await savedSecrets.sweep()
      const left = await removedFolders.sweep()
      if (left) notices.show('removed-folder', 'warning', left)
      alertWebhook.start()
      let problem: ErrorView | null = null
      try {
        await openFirst()
      } catch (error) {
        const appError = toAppError(error, log)
        problem = viewOf(appError)
        notices.show('start', 'error', appError)
      }
      void connections.openOthers(config.startWith.kind !== 'none')
      const listener = connections.active()?.features.listener.status() ?? noListener
      return { listenerUrl: listener.url, problem: problem ?? listener.problem }
    },
    ask: (request) => desktop.ask(request),
    suspend: async () => void (await Promise.all(open.all().map((one) => one.suspend()))),
    wake,
    stop: () => closing.dispose(),
  }
}

const sqliteVersion = (db: ReturnType<typeof openDatabase>['db']) =>
  String(db.prepare('SELECT sqlite_version()').pluck().get())
