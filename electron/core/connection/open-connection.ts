import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'
import type { Connection } from '../../contract/connections.ts'
import type { BudgetStatus, Notice } from '../../contract/status.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import { openDatabase } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import { createDisposer } from '../../lib/disposable.ts'
import { createLog } from '../../lib/log.ts'
import { type BackupService, createBackupService } from './backup/backup.service.ts'
import { createAnswersRepository } from '../platform/answers/answers.repository.ts'
import { createLiveOrLast, type LiveOrLast } from '../platform/answers/live-or-last.ts'
import type { CampaignsService } from '../views/campaigns/campaigns.service.ts'
import { createCampaignsFeature } from '../views/campaigns/create-campaigns-feature.ts'
import { createEventsFeature } from '../live/events/create-events-feature.ts'
import type { EventsService } from '../live/events/events.service.ts'
import type { Projector } from '../live/events/projector.ts'
import { createSavedFilters, type SavedFilters } from '../live/events/saved-filters.ts'
import { createEventExport } from '../live/events/event-export.ts'
import { createOptOuts } from '../live/events/opt-outs.ts'
import type { ListenerMove } from '../../contract/listener.ts'
import {
  createListenerService,
  type ListenerService,
  type ListenerView,
} from '../live/listener/listener.service.ts'
import { createWorkspaceNotes } from './operator-notes.ts'
import type { Notify } from '../platform/notifications/notifications.service.ts'
import type { Ports } from '../ports.ts'
import type { CredentialSource } from '../service/credentials/credentials.ts'
import type { ServiceClient } from '../service/client/create-service-client.ts'
import type { SettingsRepository } from '../platform/settings/settings.repository.ts'
import type { FieldNames } from '../service/field-names/field-names.ts'
import { createWebhooksService, type WebhooksService } from '../live/webhooks/webhooks.service.ts'
import { createLazyJournalReader } from '../live/events/journal-reader.ts'
import { createSandboxAdmin } from './sandbox-admin.ts'
import type { SignIn } from './sign-in.ts'
import { createMessagesService, type MessagesService } from '../views/messages/messages.service.ts'
import { createScheduledService, type ScheduledService } from '../views/scheduled/scheduled.service.ts'
import type { NetworkWatch } from '../service/client/network-watch.ts'
import type { ContactsService } from '../people/contacts/contacts.service.ts'
import type { OutboxService } from '../people/outbox/outbox.service.ts'
import type { TasksService } from '../platform/tasks/tasks.service.ts'
import { openPeople, type People } from './open-people.ts'
import type { DncService } from '../people/dnc/dnc.service.ts'
import type { DncChecks } from '../people/dnc/dnc-checks.ts'
import type { ErrorCodesService } from '../views/error-codes/error-codes.service.ts'
import type { DialectProbe } from '../service/field-names/dialect-probe.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import type { ImportsService } from '../people/imports/imports.service.ts'
import type { TemplatesFeature } from '../people/templates/create-templates-feature.ts'
import { type AnalyticsService, createAnalyticsService } from '../views/analytics/analytics.service.ts'
import { createFailureGroups } from '../views/analytics/failures.ts'
import { createLocalAnalytics, type ReadLocalAnalytics } from '../views/analytics/local-analytics.ts'
import { createTalliesRepository } from '../views/analytics/tallies.repository.ts'
import { createRecoveryRepository } from '../live/recovery/recovery.repository.ts'
import { createRecoveryService, type RecoveryService } from '../live/recovery/recovery.service.ts'
import { createEvidenceService, type EvidenceService } from '../live/evidence/evidence.service.ts'
import { createRetentionService, type RetentionService } from '../live/retention/retention.service.ts'
import { createEraseRepository } from './erase/erase.repository.ts'
import { createEraseService, type EraseService } from './erase/erase.service.ts'
import { truncateLog } from '../../database/truncate-log.ts'
import { createInboxRepository } from '../live/inbox/inbox.repository.ts'
import { createInboxService, type InboxService } from '../live/inbox/inbox.service.ts'
import { outgoingPorts } from '../live/listener/outgoing-ports.ts'

/** Everything of one open connection: its databases, its client, its listener, and the features over them. */
export interface Workspace {
  connection(): Connection
  /** Takes a new name, colour or production mark; the address and the sign-in stay. */
  rename(connection: Connection): void
  credentials: CredentialSource
  /** Keeps its sign-in from saving anything more: another one of the same connection takes its place. */
  detachSignIn(): void
  /** Why there is no usable sign-in, when the keychain is the reason. */
  signInProblem: AppError | null
  client: ServiceClient
  network: NetworkWatch
  budget(): BudgetStatus
  /** Highest number the journal is known to hold. */
  journalSeq(): number
  liveOrLast: LiveOrLast
  analytics: AnalyticsService
  localAnalytics: ReadLocalAnalytics
  failureGroups: ReturnType<typeof createFailureGroups>
  campaigns: CampaignsService
  events: EventsService
  projector: Projector
  listener: ListenerService
  webhooks: WebhooksService
  tasks: TasksService
  contacts: ContactsService
  outbox: OutboxService
  dnc: DncService
  errorCodes: ErrorCodesService
  probe: DialectProbe
  files: FileStore
  imports: ImportsService
  exportContacts: People['features']['exportContacts']
  exportEvents: ReturnType<typeof createEventExport>
  handOffHolds: People['features']['handOffHolds']
  messages: MessagesService
  scheduled: ScheduledService
  inbox: InboxService
  erase: EraseService
  recovery: RecoveryService
  evidence: EvidenceService
  retention: RetentionService
  /** When the databases were opened and checked. */
  openedAt: string
  backup: BackupService
  savedFilters: SavedFilters
  checks: DncChecks
  templates: TemplatesFeature['templates']
  sends: TemplatesFeature['sends']
  sendOne: TemplatesFeature['sendOne']
  /** Moves the listener, and tells when the service still delivers to where it was. */
  moveListener(move: ListenerMove): Promise<ListenerView>
  /** Starts the listener and the projector. Resolves when the listener took its place or said why not. */
  start(): Promise<void>
  /** The machine is about to sleep: begins a gap. */
  suspend(): Promise<void>
  /** The machine is awake: checks the listener, which ends the gap, and calls the service. */
  wake(): Promise<void>
  /** `reason` is noted with the hole that begins. */
  stop(reason?: 'closed' | 'switched' | 'restarted'): Promise<void>
}

export interface WorkspaceParts {
  ports: Ports
  connection: Connection
  signIn: SignIn
  fieldNames: FieldNames
  settingsRepository: SettingsRepository
  /** Secrets that came with the start of the console and are not saved. */
  startSecrets: { label: string; value: string }[]
  forcedListenerPort: number | undefined
  /** Where the host serves the console's own page, if it does so at a port. */
  pagePort: number | undefined
  forgetSecret: (account: string) => Promise<unknown>
  clock: Clock
  notice: (id: string, error: AppError, severity?: Notice['severity']) => void
  clearNotice: (id: string) => void
  notify: Notify
  /** Takes the note of a group off the page. */
  withdrawNote: (group: string) => void
  onChange: () => void
}

/** Setting with the date of the backup of a restored connection, until its outbox is resumed. */
export const restoredKey = (connectionId: string) => `connection/${connectionId}/restored`

/** The folder of a connection's databases. */
export const workspaceDir = (dataDir: string, connectionId: string) =>
  join(dataDir, 'connections', connectionId)

/**
 * Opens a connection's databases and puts its parts together. Nothing runs before `start`.
 * Throws the `STORAGE_*` errors of a database that cannot be used; a damaged one is set aside with a notice.
 */
export async function openWorkspace(parts: WorkspaceParts): Promise<Workspace> {
  const closing = createDisposer()
  try {
    return await compose(parts, closing)
  } catch (error) {
    parts.signIn.client.close()
    await closing.dispose()
    throw error
  }
}

async function compose(
  parts: WorkspaceParts,
  closing: ReturnType<typeof createDisposer>,
): Promise<Workspace> {
  const { clock, ports } = parts
  const { client, credentials, network, problem: signInProblem } = parts.signIn
  let connection = parts.connection
  const dir = workspaceDir(ports.dataDir, connection.id)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const scoped = (scope: string) =>
    createLog(
      (entry) => ports.log(entry),
      scope,
      () => clock.now(),
    )
  const noticeDamage = (file: string, asideFile: string | null, lost: string) =>
    parts.notice(
      `damage/${connection.id}/${basename(file)}`,
      new AppError('STORAGE_DAMAGED', {
        file: basename(file),
        asideFile: asideFile === null ? 'nothing, for it was gone' : basename(asideFile),
        lost,
      }),
    )
  const noticeDamageInUse = (file: string, problems: string[]) =>
    parts.notice(
      `damage/${connection.id}/${file}`,
      new AppError('STORAGE_DAMAGED_IN_USE', { file, detail: problems[0] ?? 'unreadable' }),
    )
  const open = (schema: 'state' | 'cache') => {
    const opened = openDatabase({
      file: join(dir, `${schema}.db`),
      schema,
      log: scoped('database'),
      now: () => clock.now(),
      clock,
      onDamage: (problems) => noticeDamageInUse(`${schema}.db`, problems),
    })
    closing.add(() => opened.close())
    if (opened.setAside) noticeDamage(opened.file, opened.setAside.asideFile, opened.setAside.lost)
    return opened.db
  }

  const openedAt = new Date(clock.now()).toISOString()
  const stateDb = open('state')
  const cacheDb = open('cache')
  const answers = createAnswersRepository(cacheDb)
  const liveOrLast = createLiveOrLast(answers, clock, scoped('answers'))
  const people = await openPeople({
    dir,
    stateDb,
    cacheDb,
    fieldNames: parts.fieldNames,
    settingsRepository: parts.settingsRepository,
    client,
    credentials,
    connection: () => connection,
    clock,
    logOf: scoped,
    noticeDamage,
    noticeDamageInUse,
    openSandbox: () => ports.openSandbox(),
  })
  const journalFile = join(dir, 'journal.db')
  const journalReader = createLazyJournalReader(journalFile)
  closing.add(() => journalReader.close())
  const recoveryRepository = createRecoveryRepository(stateDb)
  const events = createEventsFeature({
    stateDb,
    journalReader,
    clock,
    log: scoped('events'),
    stopWords: people.features.dnc.stopWords,
    listening: () => listener.listening(),
    firstFailure: () => listener.firstFailure(),
    recovered: (messageId) => recoveryRepository.of(messageId),
  })
  closing.add(events.projector.onProjected(parts.onChange))
  let journalSeq = 0
  /** The last address that the service may have been told. */
  let lastUrl: string | null = null
  let stopReason: 'closed' | 'switched' | 'restarted' | undefined
  const listener = createListenerService({
    connectionId: connection.id,
    journalFile,
    settings: parts.settingsRepository,
    secrets: ports.secrets,
    startSecrets: parts.startSecrets,
    forgetSecret: parts.forgetSecret,
    onPort(port) {
      const { from, to } = outgoingPorts()
      if (port < from || port > to) return parts.clearNotice('outgoing-port')
      parts.notice('outgoing-port', new AppError('PORT_OUTGOING', { port, from, to }), 'warning')
    },
    onListening: (url) => ports.listening?.(url),
    forcedPort: parts.forcedListenerPort,
    pagePort: parts.pagePort,
    clock,
    log: scoped('listener'),
    continueAfterSeq: () => events.projector.highestSeq(),
    onJournalGrew(lastSeq) {
      journalSeq = Math.max(journalSeq, lastSeq)
      events.notifyJournalGrew(lastSeq)
    },
    onJournalLoss({ asideFile, lost }) {
      journalReader.reopen()
      noticeDamage(journalFile, asideFile, lost)
    },
    onJournalDamaged: (problems) => noticeDamageInUse(basename(journalFile), problems),
    onChange() {
      notes.listener(listener.status())
      parts.onChange()
    },
  })
  const notify: Notify = (told) =>
    parts.notify({ ...told, connection: { id: connection.id, name: connection.name } })
  const notes = createWorkspaceNotes({
    notify,
    withdraw: parts.withdrawNote,
    connectionId: connection.id,
    clock,
  })
  closing.add(() => notes.stop())
  const campaigns = createCampaignsFeature({
    client,
    connection: () => connection,
    liveOrLast,
    stateDb,
    notify,
    clock,
    log: scoped('campaigns'),
  })
  const dialect = () => parts.fieldNames.of(connection.id)
  const inbox = createInboxService({
    repository: createInboxRepository(stateDb),
    events: events.repository,
    projector: events.projector,
    contacts: people.features.contacts,
    dnc: people.features.dnc,
    sentTo: people.features.sentTo,
    clock,
    log: scoped('inbox'),
    onChange: parts.onChange,
  })
  const retention = createRetentionService({
    connectionId: connection.id,
    stateDb,
    stateFile: join(dir, 'state.db'),
    journalFile,
    journal: journalReader,
    events: events.repository,
    projector: events.projector,
    listener,
    settings: parts.settingsRepository,
    clock,
    log: scoped('retention'),
  })
  const { tasks, book, holds, outbox } = people.features
  const holdOptOuts = createOptOuts(stateDb, people.features.dnc)
  const erase = createEraseService({
    repository: createEraseRepository(stateDb, cacheDb),
    book,
    contactOf: people.features.contactOf,
    holds,
    isOnDncList: people.features.isOnDncList,
    outbox,
    journal: journalReader,
    listener,
    projector: events.projector,
    scrubSettings: parts.settingsRepository.replaceText,
    dir,
    fileDirs: ['files', 'sends'].map((name) => join(dir, name)),
    isFileNeeded: people.features.isFileNeeded,
    truncateLogs: () =>
      [truncateLog(stateDb), truncateLog(cacheDb), parts.settingsRepository.truncateLog()].every(Boolean),
    tasks,
    clock,
    log: scoped('erase'),
  })
  closing.add(people.features.tasks.onEnd(notes.taskEnded))
  let ended: Promise<void> | null = null
  /** Before the databases: what is under way then ends as signed out, not on a closed database. */
  const endPeople = () =>
    (ended ??= (async () => {
      await campaigns.stop()
      await people.stop()
      client.close()
      await campaigns.settled()
      await people.close()
    })())
  closing.add(endPeople)

  const webhooks = createWebhooksService({
    client,
    listener,
    journal: journalReader,
    dialect,
    liveOrLast,
    clock,
  })
  /** Where the listener was before it moved, until a move back or a subscription there settles it. */
  async function reportLeftBehind(url: string): Promise<void> {
    const id = `left-behind/${connection.id}`
    try {
      const { length: count } = await webhooks.idsAt(url)
      if (count > 0) parts.notice(id, new AppError('SUBSCRIPTIONS_LEFT_BEHIND', { count, url }))
      else parts.clearNotice(id)
    } catch (error) {
      scoped('webhooks').info('the subscriptions could not be read after the listener moved', { error })
    }
  }

  /** Recreates the old address's subscriptions at the new one. False on failure; the caller then shows a notice. */
  async function replaceSubscriptionsAt(from: string, to: string): Promise<boolean> {
    try {
      await webhooks.replace(from, to)
      // Only the sandbox has a call to remove one. On a service, use its dashboard.
      if (connection.kind === 'sandbox') {
        const { removeSubscription } = createSandboxAdmin(() => ports.openSandbox())
        for (const id of await webhooks.idsAt(from)) await removeSubscription(id)
      }
      parts.clearNotice(`left-behind/${connection.id}`)
      return true
    } catch (error) {
      scoped('webhooks').error('the subscriptions could not be replaced after the listener moved', { error })
      return false
    }
  }

  /** The sandbox is on this computer, so it can be told the address without asking. */
  async function pointSandboxHere(url: string): Promise<void> {
    try {
      await webhooks.ensure(url)
      parts.clearNotice('sandbox-subscription')
    } catch (error) {
      scoped('webhooks').error('the sandbox could not be subscribed', { error })
      if (isAppError(error))
        parts.notice(
          'sandbox-subscription',
          new AppError('SUBSCRIPTION_NOT_MADE', { url, reason: whyRefused(error) }),
        )
    }
  }

  /** Explains why the outbox of a restored connection is paused, until it is resumed. */
  function noticeRestored(): void {
    const key = restoredKey(connection.id)
    const restored = parts.settingsRepository.get(key, z.object({ createdAt: z.string() }))
    if (!restored) return
    if (people.features.outbox.drain().state === 'paused') {
      const createdAt = `${restored.createdAt.slice(0, 16).replace('T', ' ')} UTC`
      parts.notice(`restored/${connection.id}`, new AppError('RESTORED_PAUSED', { createdAt }))
    } else parts.settingsRepository.remove(key)
  }

  return {
    connection: () => connection,
    async moveListener({ replaceSubscriptions = false, ...config }) {
      const before = listener.status().url ?? lastUrl
      const view = await listener.configure(config)
      const after = view.status.url
      const moved = before !== null && after !== null && before !== after
      const replaced = moved && replaceSubscriptions && (await replaceSubscriptionsAt(before, after))
      if (connection.kind === 'sandbox' && after !== null) await pointSandboxHere(after)
      else if (before !== null && before !== after && !replaced) void reportLeftBehind(before)
      if (after !== null) lastUrl = after
      if (before !== null && before === after) parts.clearNotice(`left-behind/${connection.id}`)
      return view
    },
    rename(next) {
      connection = next
      parts.onChange()
    },
    credentials,
    detachSignIn: parts.signIn.detach,
    signInProblem,
    client,
    network,
    budget: () => client.budget.snapshot(),
    journalSeq: () => journalSeq,
    liveOrLast,
    analytics: createAnalyticsService({
      client,
      liveOrLast,
      answers,
      dialect,
      tasks: people.features.tasks,
      clock,
    }),
    exportEvents: createEventExport({
      fileTasks: people.features.fileTasks,
      journalFile,
      projector: events.projector,
      clock,
    }),
    failureGroups: createFailureGroups({ db: stateDb, events: events.repository, clock }),
    localAnalytics: createLocalAnalytics({
      tallies: createTalliesRepository(stateDb),
      events: events.service,
      clock,
    }),
    campaigns: campaigns.service,
    events: events.service,
    projector: events.projector,
    listener,
    webhooks,
    evidence: createEvidenceService({
      journalFile,
      jobFiles: people.features.jobFiles,
      connection: () => connection,
      holes: events.service.holes,
      events: events.projector,
      store: people.features.files,
      tasks: people.features.tasks,
      secrets: ports.secrets,
      settings: parts.settingsRepository,
      clock,
    }),
    openedAt,
    backup: createBackupService({
      dir,
      connection: () => connection,
      settings: parts.settingsRepository,
      tasks: people.features.tasks,
      store: people.features.files,
      jobFiles: people.features.jobFiles,
      clock,
    }),
    retention,
    inbox,
    erase,
    savedFilters: createSavedFilters(parts.settingsRepository, connection.id),
    recovery: createRecoveryService({
      repository: recoveryRepository,
      events: events.service,
      client,
      tasks: people.features.tasks,
      clock,
    }),
    messages: createMessagesService({
      stateDb,
      client,
      connection: () => connection,
      liveOrLast,
      events: events.service,
      tasks: people.features.tasks,
      clock,
      log: scoped('messages'),
    }),
    scheduled: createScheduledService({
      client,
      answers,
      store: people.features.files,
      clock,
      log: scoped('scheduled'),
    }),
    ...people.features,
    async start() {
      // Before the outbox, which must not send to a number that opted out.
      notes.stopWords(holdOptOuts())
      closing.add(
        events.projector.onProjected(({ stopWords }) => {
          if (stopWords > 0) notes.stopWords(holdOptOuts())
        }),
      )
      people.start()
      campaigns.start()
      closing.add(() => listener.stop(stopReason))
      noticeRestored()
      await listener.start()
      // After the listener, whose thread makes the journal.
      closing.add(events.start())
      closing.add(inbox.start())
      closing.add(retention.start())
      erase.resume()
      // An import that is under way may take long to let go: deliveries are taken until it has.
      closing.add(endPeople)
      const { url } = listener.status()
      if (connection.kind === 'sandbox' && url !== null) await pointSandboxHere(url)
    },
    suspend: () => listener.suspend(),
    async wake() {
      // The network watch shows the outcome.
      void campaigns
        .pollNow()
        .catch((error: unknown) =>
          scoped('service').info('the service did not answer after a sleep', { error }),
        )
      await listener.wake()
      parts.onChange()
    },
    stop(reason) {
      stopReason = reason
      return closing.dispose()
    },
  }
}

/** What the service said, else what happened: what its own sentence says was kept or not is not true of a listener that moved. */
function whyRefused({ data, message }: AppError): string {
  const { serviceText } = data
  if (typeof serviceText === 'string' && serviceText !== '') return `the service said "${serviceText}"`
  return /^.*?(?=\.(\s|$))/.exec(message)?.[0] ?? message
}
