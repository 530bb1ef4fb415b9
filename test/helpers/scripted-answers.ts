import { plainTable } from '#electron/jobs/sheets/file-kind.ts'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import type { Connection, ConnectionActivity, SecretsView } from '#contract/connection/connections.ts'
import type { EventRow, Gap } from '#contract/live/events.ts'
import type { ListenerSecret, ListenerStatus, Refusal } from '#contract/live/listener.ts'
import type { Status } from '#contract/connection/status.ts'
import type { Subscription } from '#contract/live/webhooks.ts'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import { ago, createBroadcast, dayMs, hourMs, live } from './scripted/broadcast.ts'
import { scriptedAnalytics } from './scripted/analytics.ts'
import { scriptedInbox } from './scripted/inbox.ts'
import { scriptedMessages } from './scripted/messages.ts'
import { scriptedRecovery } from './scripted/recovery.ts'
import { scriptedErase } from './scripted/erase.ts'
import { scriptedSignedExports } from './scripted/signed-exports.ts'
import { scriptedRetention } from './scripted/retention.ts'
import { scriptedScheduled } from './scripted/scheduled.ts'
import { scriptedTeam } from './scripted/team.ts'
import { scriptedSendReports, scriptedTemplates } from './scripted/templates.ts'
import { scriptedCampaigns } from './scripted/campaigns.ts'
import { scriptedNotifications } from './scripted/notifications.ts'
import { scriptedContacts } from './scripted/contacts.ts'
import { scriptedDesktop } from './scripted/desktop.ts'
import { scriptedDnc } from './scripted/dnc.ts'
import { ordinaryErrorCodes, scriptedErrorCodes } from './scripted/error-codes.ts'
import { scriptedFiles } from './scripted/files.ts'
import { scriptedImports } from './scripted/imports.ts'
import { ordinaryOutbox, scriptedOutbox } from './scripted/outbox.ts'
import { scriptedDetection } from './scripted/detection.ts'
import { type ScriptedTasks, ordinaryTasks, scriptedTasks } from './scripted/tasks.ts'
import type { Script } from './scripted/script.ts'
import { createScriptedEvents, scriptedRow } from './scripted-events.ts'

const production: Connection = {
  id: 'c-prod',
  name: 'Acme production',
  baseUrl: 'https://api.messaging.example/v1',
  kind: 'service',
  colour: 'red',
  production: true,
  credentialKind: 'api-key',
  username: null,
  allowPlainHttp: false,
  country: null,
  dashboardUrl: null,
  lastUsedAt: ago(60_000),
}
const byPassword = { production: false, credentialKind: 'password' } as const

/** Three connections: production, staging, sandbox. */
export const connections: [production: Connection, staging: Connection, sandbox: Connection] = [
  production,
  {
    ...production,
    ...byPassword,
    id: 'c-stage',
    name: 'Acme staging',
    baseUrl: 'https://staging.messaging.example/v1',
    colour: 'amber',
    username: 'operator@acme.example',
    lastUsedAt: ago(2 * dayMs),
  },
  {
    ...production,
    ...byPassword,
    id: 'c-sandbox',
    name: 'Sandbox',
    baseUrl: 'http://127.0.0.1:41377/v1',
    kind: 'sandbox',
    colour: 'teal',
    username: 'demo',
    lastUsedAt: ago(3 * dayMs),
  },
]

/** Secrets in the OS keychain, without problems. */
export const inKeychain: SecretsView = { kind: 'keychain', problem: null }

const listening: ListenerStatus = {
  state: 'listening',
  relay: null,
  url: 'http://127.0.0.1:8787/webhooks',
  problem: null,
  listeningSince: ago(5 * hourMs),
  acknowledged: 48_213,
  unsigned: 0,
  refused: 3,
  refusedLastMinute: 0,
  lastRefusalReason: 'signature-mismatch',
  notStored: 0,
  lastDeliveryAt: ago(900),
  withoutSecret: false,
  secretsNotKnown: [],
  silence: null,
}

/** Signed in to production, listening, half of the rate limit used. */
export function ordinaryStatus(): Status {
  return {
    connection: connections[0],
    session: { state: 'signed-in', problem: null, endsAt: null },
    network: { reachable: true, lastAnswerAt: ago(1_200), problem: null },
    listener: listening,
    budget: {
      limitPerMinute: 200,
      usedByUs: 64,
      usedByOthers: 31,
      remaining: 105,
      resetsAt: ago(-22_000),
      pausedUntil: null,
      queued: { operator: 0, live: 1, bulk: 0 },
    },
    secrets: inKeychain,
    projectionLag: 0,
    storedEvents: 1_204_518,
    unreadConversations: 2,
    notices: [],
    asOf: new Date().toISOString(),
  }
}

const campaignNames = [
  ['Autumn offers, loyalty members', 'running', 120_000, 74_310, 812],
  ['Appointment reminders, week 47', 'running', 18_400, 18_011, 94],
  ['Delivery notices, north depots', 'running', 56_000, 8_120, 1_430],
  ['Password reset wave', 'paused', 9_000, 4_500, 12],
  ['Summer clearance', 'completed', 240_000, 238_114, 1_886],
  ['Board election notice', 'draft', 3_200, 0, 0],
  ['Outage apology, region west', 'cancelled', 70_000, 22_140, 9_903],
] as const

/** Seven campaigns, one in each state and three running. */
export function ordinaryCampaigns(): Campaign[] {
  return campaignNames.map(([name, status, totalRecipients, sentCount, failedCount], index) => ({
    id: `00000000-0000-4000-8000-00000000000${index}` as CampaignId,
    tenantId: null,
    accountId: null,
    name,
    templateId: null,
    senderId: '+1555010' + index,
    status,
    totalRecipients,
    sentCount,
    failedCount,
    startedAt: status === 'draft' ? null : ago((index + 1) * 3_000_000),
    completedAt: status === 'completed' ? ago(dayMs) : null,
    createdAt: ago((index + 2) * dayMs),
    updatedAt: ago(30_000),
  }))
}

const eventShapes: Partial<EventRow>[] = [
  {},
  {},
  { status: 'submitted' },
  { status: 'failed', errorCode: 2 },
  {},
  { kind: 'mo', status: null, ownNumber: '+15550100', content: 'STOP', optOut: true },
  { status: 'expired' },
]

/** The newest of a million stored events, oldest first, one every 1.7 s until now. */
function ordinaryEvents(): EventRow[] {
  const nowMs = Date.now()
  return Array.from({ length: 600 }, (_item, age) =>
    scriptedRow(1_204_518 - age, nowMs - age * 1_700, {
      copies: age % 11 === 0 ? 2 : 1,
      ...eventShapes[age % eventShapes.length],
    }),
  ).reverse()
}

const gap = (fromMs: number, durationMs: number, reason: string, proven = true): Gap => ({
  from: ago(fromMs),
  to: ago(fromMs - durationMs),
  durationMs,
  proven,
  reason,
})
const gaps = [
  gap(9 * hourMs, 0.4 * hourMs, 'closed'),
  gap(3.2 * dayMs, 18_000, 'moved', false),
  gap(5 * dayMs, 0.6 * dayMs, 'crashed'),
]

const refusalCounts = { 'signature-mismatch': 1, 'too-large': 1, method: 1 }
const refusal = (id: string, agoMs: number, status: number, reason: string, sizeBytes: number): Refusal => ({
  id,
  at: ago(agoMs),
  status,
  reason,
  remote: '127.0.0.1',
  method: 'POST',
  path: '/webhooks',
  sizeBytes,
})
const refusals = [
  refusal('r3', 40_000, 401, 'signature-mismatch', 212),
  refusal('r2', 3_400_000, 413, 'too-large', 10_485_760),
  { ...refusal('r1', 9_000_000, 405, 'method', 0), method: 'GET', sizeBytes: null },
]

const here: Subscription = {
  id: 'wh-2',
  url: 'http://127.0.0.1:8787/webhooks',
  events: ['dlr', 'mo'],
  families: ['dlr', 'mo'],
  status: 'active',
  createdAt: ago(3 * dayMs),
  pointsHere: true,
  secretKnown: true,
  secretInMemory: false,
  arrived: { count: 1_204, lastAt: ago(2_000), since: ago(6 * hourMs) },
}
const subscriptions: Subscription[] = [
  {
    ...here,
    id: 'wh-1',
    url: 'https://hooks.acme.example/switchboard',
    events: ['message.delivered', 'message.failed', 'message.submitted', 'message.expired'],
    families: ['dlr'],
    pointsHere: false,
  },
  here,
]

/** A connection that receives. */
export function activityOf(
  connection: Connection,
  changes: Partial<ConnectionActivity> = {},
): ConnectionActivity {
  const path = connection.id === connections[0].id ? '/webhooks' : `/webhooks/${connection.id}`
  return {
    connection,
    state: 'live',
    problem: null,
    background: true,
    session: 'signed-in',
    listener: {
      state: 'listening',
      path,
      url: `http://127.0.0.1:8787${path}`,
      relay: null,
      refusedLastMinute: 0,
      lastDeliveryAt: ago(0),
      silence: null,
    },
    eventsPerMinute: 120,
    lastHalfHour: {
      perMinute: Array.from({ length: 30 }, (_, minute) => 90 + 30 * Math.round(Math.sin(minute / 3))),
      failed: 12,
      sent: 1_000,
      limit: { percent: 10, minSent: 100 },
    },
    unreadConversations: 0,
    openGap: null,
    alerts: 0,
    runningCampaigns: { value: 3, atLeast: false },
    dncList: { state: 'fresh', asOf: ago(180_000), teamReadAt: null, waits: null },
    rateLimit: { limitPerMinute: 200, used: 28, remaining: 172 },
    queuedRequests: 0,
    ...changes,
  }
}

type ListenerView = Awaited<ReturnType<Script['listener']['get']>>
const savedFilters = {
  filters: [{ name: 'Failures of today', filter: { status: 'failed,expired' }, by: 'Ben' }],
  unreadable: ['Of a newer version'],
}

/** The default script, with ways to change what it streams. */
export interface OrdinaryDay {
  script: Script
  setStatus(change: Partial<Status>): void
  tasks: ScriptedTasks
  outbox: ReturnType<typeof scriptedOutbox>
  dnc: ReturnType<typeof scriptedDnc>
  files: ReturnType<typeof scriptedFiles>
  notifications: ReturnType<typeof scriptedNotifications>
  desktop: ReturnType<typeof scriptedDesktop>
}

/** Creates the default script. */
export function ordinaryDay(): OrdinaryDay {
  const broadcast = createBroadcast(ordinaryStatus())
  const status = {
    value: broadcast.value,
    watch: broadcast.watch,
    change: (change: Partial<Status>) =>
      broadcast.set({ ...broadcast.value(), ...change, asOf: new Date().toISOString() }),
  }
  const tasks = scriptedTasks(ordinaryTasks())
  const outbox = scriptedOutbox(ordinaryOutbox())
  const files = scriptedFiles()
  const dnc = scriptedDnc(tasks, files)
  const contacts = scriptedContacts(tasks)
  const notifications = scriptedNotifications()
  const desktop = scriptedDesktop()
  const config = { port: 8787, address: '127.0.0.1', path: '/webhooks', allowUnsigned: false }
  const secret = (
    id: string,
    label: string,
    agoMs: number,
    of: Partial<ListenerSecret> = {},
  ): ListenerSecret => ({
    id,
    label,
    addedAt: ago(agoMs),
    retiresAt: null,
    value: 'known',
    ...of,
  })
  const secrets = [
    secret('s-1', 'wh-1, current', 3 * dayMs),
    secret('s-2', 'wh-1, before rotation', 90 * dayMs, { retiresAt: ago(-20 * hourMs) }),
  ]

  /** The page follows the status. */
  const open = (id: string) => {
    const connection = connections.find((one) => one.id === id)!
    status.change({ connection, session: { state: 'signed-in', problem: null, endsAt: null } })
    return { connection, secrets: inKeychain }
  }
  const activityAt = (connection: Connection, index: number): ConnectionActivity =>
    activityOf(connection, {
      eventsPerMinute: 120 - 40 * index,
      unreadConversations: index === 1 ? 3 : 0,
    })
  const listenerView = (of: Partial<ListenerView> = {}): ListenerView => ({
    config,
    publicBase: null,
    publicUrl: null,
    secrets,
    relay: { mode: 'local', url: null, inbox: null, hasToken: false, tokenUnread: false },
    status: status.value().listener,
    ...of,
  })

  const script: Script = {
    campaigns: scriptedCampaigns(ordinaryCampaigns()),
    connections: {
      list: () => ({
        connections,
        secrets: status.value().secrets,
        restored: [],
        failed: [],
      }),
      connect: ({ id }) => open(id ?? 'c-prod'),
      watch: async function* (_input, signal) {
        yield { connections: connections.map(activityAt), asOf: ago(0) }
        await aborted(signal)
      },
      setBackground: () => {},
      openSandbox: () => open('c-sandbox'),
      open: ({ id }) => open(id),
      update: () => connections[0],
      openDashboard: () => {},
      signOut: () => ({ problem: null }),
      remove: () => ({ problem: null }),
      retryKeychain: () => inKeychain,
    },
    contacts,
    dnc: dnc.answers,
    errorCodes: scriptedErrorCodes(ordinaryErrorCodes(), tasks),
    events: {
      ...createScriptedEvents(ordinaryEvents()).answers,
      gaps: () => ({ gaps, recordedSince: ago(40 * dayMs), asOf: ago(0) }),
      savedFilters: () => savedFilters,
      saveFilter: () => savedFilters,
      removeFilter: () => savedFilters,
      export: ({ format }) =>
        tasks.finish({ kind: 'export', subject: `events.${format}`, refId: 'file-export' }),
    },
    backups: {
      ...files.answers,
      start: () => ({ taskId: 'backup' }),
      restore: async function* () {},
    },
    files: files.answers,
    imports: scriptedImports(tasks),
    listener: {
      get: () => listenerView(),
      freePort: () => ({ port: config.port + 1 }),
      setPublicBase: ({ publicBase }) => listenerView({ publicBase, publicUrl: publicBase }),
      configure: (next) => listenerView({ config: next }),
      setRelay: () => listenerView(),
      retryRelay: () => listenerView(),
      addSecret: ({ label }) => listenerView({ secrets: [...secrets, secret('s-3', label, 0)] }),
      removeSecret: () => listenerView(),
      refusals: () => ({ refusals, total: 3, byReason: refusalCounts, asOf: ago(0) }),
      refusal: ({ id }) => ({
        ...(refusals.find((one) => one.id === id) ?? refusals[0]!),
        headers: [
          ['content-type', 'application/json'],
          ['via', '1.1 gateway'],
        ],
        body: '{"event": "dlr", "message_id": "m-1", "status": "delivered"}',
        receivedSignature: '5f'.repeat(6),
        untried: [],
        computed: [
          { label: 'Production', signatureStart: 'a0'.repeat(6), isSame: false, retiredAt: null },
          {
            label: 'Before the move',
            signatureStart: 'b1'.repeat(6),
            isSame: false,
            retiredAt: ago(9_000_000),
          },
        ],
        match: { label: 'Production', received: 'as-is', secret: 'as-is', retiredAt: null },
      }),
    },
    messages: scriptedMessages(tasks),
    erase: scriptedErase(tasks),
    signedExports: scriptedSignedExports(tasks),
    recovery: scriptedRecovery(gaps, tasks),
    scheduled: scriptedScheduled(files),
    sheets: {
      // Every upload is text.
      open: async function* ({ fileId }) {
        yield {
          kind: 'table',
          fileId,
          isConverted: false,
          ...plainTable,
        }
      },
    },
    sendReports: scriptedSendReports(),
    team: scriptedTeam(),
    templates: scriptedTemplates(tasks),
    analytics: scriptedAnalytics(),
    inbox: scriptedInbox(),
    retention: scriptedRetention(),
    notifications: notifications.answers,
    outbox: outbox.answers,
    overview: {
      get: () => ({
        dashboard: {
          messagesToday: 182_344,
          messagesWeek: 1_045_902,
          balance: 18_422.5,
        },
        freshness: live(),
      }),
    },
    desktop: desktop.answers,
    settings: {
      getAppearance: () => ({ theme: 'system', density: 'compact', language: 'system' }),
      setAppearance: (next) => ({ ...next, language: next.language ?? 'system' }),
      getPlace: () => ({ path: null }),
      setPlace: () => {},
      getFieldNames: () => defaultFieldNames,
      setFieldNames: (next) => next,
      resetFieldNames: () => defaultFieldNames,
      ...scriptedDetection(tasks),
      about: () => ({
        version: '0.1.0',
        parts: [
          { name: 'Node.js', version: '24.21.0' },
          { name: 'SQLite', version: '3.50.1' },
        ],
        capabilities: [],
        dataDir: '/home/operator/.local/share/switchboard',
      }),
      diagnostics: () => ({ facts: [{ name: 'Switchboard', value: '0.1.0' }] }),
    },
    status: {
      watch: (_input, signal) => status.watch(signal),
      dismissNotice: ({ id }) => {
        status.change({ notices: status.value().notices.filter((notice) => notice.id !== id) })
      },
    },
    tasks: tasks.answers,
    webhooks: {
      list: () => ({ subscriptions, freshness: live() }),
      arrivals: () => ({ subscriptions }),
      subscribe: ({ url, receiver, secret }) => ({
        outcome: 'created',
        subscription: { ...here, id: 'wh-3', url },
        secret: receiver === 'elsewhere' && secret.kind === 'generate' ? 'scripted-secret' : null,
      }),
      roundTrip: ({ family }) => ({
        family,
        verdict: 'passed',
        hops: [{ name: 'parser', state: 'ok', text: 'The event was read.' }],
        tookMs: 212,
        maybeOrdinary: false,
        seq: 1_204_519,
        asOf: ago(0),
      }),
    },
  }
  return {
    script,
    setStatus: status.change,
    tasks,
    outbox,
    dnc,
    files,
    notifications,
    desktop,
  }
}

function aborted(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
}
