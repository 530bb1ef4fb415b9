import type { Campaign, CampaignId } from '#contract/domain.ts'
import type { Connection, ConnectionActivity, SecretsView } from '#contract/connection/connections.ts'
import type { EventRow, Gap, SavedFilter } from '#contract/live/events.ts'
import type { ListenerConfig, ListenerSecret, Refusal } from '#contract/live/listener.ts'
import type { Appearance } from '#contract/platform/settings.ts'
import type { ListenerStatus, RelaySettings, RelayStatus } from '#contract/live/listener.ts'
import type { Status } from '#contract/connection/status.ts'
import type { Subscription } from '#contract/live/webhooks.ts'
import { AppError } from '#contract/errors.ts'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import { ago, createBroadcast, dayMs, live } from './scripted/broadcast.ts'
import { scriptedAnalytics } from './scripted/analytics.ts'
import { scriptedInbox } from './scripted/inbox.ts'
import { scriptedMessages } from './scripted/messages.ts'
import { scriptedRecovery } from './scripted/recovery.ts'
import { scriptedErase } from './scripted/erase.ts'
import { scriptedSignedExports } from './scripted/signed-exports.ts'
import { scriptedRetention } from './scripted/retention.ts'
import { scriptedSheets } from './scripted/sheets.ts'
import { scriptedScheduled } from './scripted/scheduled.ts'
import { scriptedTemplates } from './scripted/templates.ts'
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

/** Three connections: production, staging, sandbox. */
export const connections: Connection[] = [
  {
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
    lastUsedAt: ago(60_000),
  },
  {
    id: 'c-stage',
    name: 'Acme staging',
    baseUrl: 'https://staging.messaging.example/v1',
    kind: 'service',
    colour: 'amber',
    production: false,
    credentialKind: 'password',
    username: 'operator@acme.example',
    allowPlainHttp: false,
    country: null,
    lastUsedAt: ago(2 * dayMs),
  },
  {
    id: 'c-sandbox',
    name: 'Sandbox',
    baseUrl: 'http://127.0.0.1:41377/v1',
    kind: 'sandbox',
    colour: 'teal',
    production: false,
    credentialKind: 'password',
    username: 'demo',
    allowPlainHttp: false,
    country: null,
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
  listeningSince: ago(5 * 3_600_000),
  countedSince: ago(6 * 3_600_000),
  acknowledged: 48_213,
  unsigned: 0,
  refused: 3,
  refusedLastMinute: 0,
  lastRefusalReason: 'signature-mismatch',
  notStored: 0,
  lastDeliveryAt: ago(900),
  withoutSecret: false,
  secretsNotKnown: 0,
}

/** A relay that has delivered everything. */
export const connectedRelay = (url: string, inbox: string): RelayStatus => ({
  state: 'connected',
  refusal: null,
  detail: null,
  retryAt: null,
  behind: 0,
  received: 12_480,
  refusedSignatures: 0,
  lastDeliveryAt: ago(2_400),
  webhookUrl: `${url.replace(/\/$/, '')}/webhooks/${inbox}`,
})

/** Signed in to production, listening, half of the rate limit used. */
export function ordinaryStatus(): Status {
  return {
    connection: connections[0]!,
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

const eventShapes = [
  ['dlr', 'delivered', null],
  ['dlr', 'delivered', null],
  ['dlr', 'submitted', null],
  ['dlr', 'failed', 2],
  ['dlr', 'delivered', null],
  ['mo', null, null],
  ['dlr', 'expired', null],
] as const

/** `count` stored events, newest first, one every 1.7 s back from now. */
export function ordinaryEvents(count: number): EventRow[] {
  return Array.from({ length: count }, (_item, index) => {
    const [kind, status, errorCode] = eventShapes[index % eventShapes.length]!
    return {
      seq: 1_204_518 - index,
      kind,
      messageId: `msg-${(9_000_000 - index).toString(16)}`,
      status,
      errorCode,
      number: `+1555${String(2_000_000 + index * 7919).slice(0, 7)}`,
      ownNumber: kind === 'mo' ? '+15550100' : null,
      content: kind === 'mo' ? (index % 2 === 0 ? 'STOP' : 'Thanks, see you then') : null,
      serviceTime: ago(index * 1_700 + 400),
      receivedAt: ago(index * 1_700),
      copies: index % 11 === 0 ? 2 : 1,
      verdict: 'signed',
      quarantineReason: null,
      optOut: kind === 'mo' && index % 2 === 0,
    }
  })
}

const gaps: Gap[] = [
  {
    from: ago(9 * 3_600_000),
    to: ago(8.6 * 3_600_000),
    durationMs: 0.4 * 3_600_000,
    proven: true,
    reason: 'closed',
  },
  {
    from: ago(3.2 * dayMs),
    to: ago(3.2 * dayMs - 18_000),
    durationMs: 18_000,
    proven: false,
    reason: 'moved',
  },
  { from: ago(5 * dayMs), to: ago(4.4 * dayMs), durationMs: 0.6 * dayMs, proven: true, reason: 'crashed' },
]

const refusalCounts = { 'signature-mismatch': 1, 'too-large': 1, method: 1 }
const refusals: Refusal[] = [
  {
    id: 'r3',
    at: ago(40_000),
    status: 401,
    reason: 'signature-mismatch',
    remote: '127.0.0.1',
    method: 'POST',
    path: '/webhooks',
    sizeBytes: 212,
  },
  {
    id: 'r2',
    at: ago(3_400_000),
    status: 413,
    reason: 'too-large',
    remote: '127.0.0.1',
    method: 'POST',
    path: '/webhooks',
    sizeBytes: 10_485_760,
  },
  {
    id: 'r1',
    at: ago(9_000_000),
    status: 405,
    reason: 'method',
    remote: '127.0.0.1',
    method: 'GET',
    path: '/webhooks',
    sizeBytes: null,
  },
]

const subscriptions: Subscription[] = [
  {
    id: 'wh-1',
    url: 'https://hooks.acme.example/switchboard',
    events: ['message.delivered', 'message.failed', 'message.submitted', 'message.expired'],
    families: ['dlr'],
    status: 'active',
    createdAt: ago(40 * dayMs),
    pointsHere: false,
    secretKnown: true,
    secretInMemory: false,
    arrived: { count: 1_204, lastAt: ago(2_000), since: ago(6 * 3_600_000) },
  },
  {
    id: 'wh-2',
    url: 'http://127.0.0.1:8787/webhooks',
    events: ['dlr', 'mo'],
    families: ['dlr', 'mo'],
    status: 'active',
    createdAt: ago(3 * dayMs),
    pointsHere: true,
    secretKnown: true,
    secretInMemory: false,
    arrived: { count: 1_204, lastAt: ago(2_000), since: ago(6 * 3_600_000) },
  },
]

/** A connection that receives. */
export function activityOf(
  connection: Connection,
  changes: Partial<ConnectionActivity> = {},
): ConnectionActivity {
  const path = connection.id === connections[0]!.id ? '/webhooks' : `/webhooks/${connection.id}`
  return {
    connection,
    state: 'live',
    problem: null,
    inFront: false,
    background: true,
    session: 'signed-in',
    listener: {
      state: 'listening',
      path,
      url: `http://127.0.0.1:8787${path}`,
      relay: null,
      refusedLastMinute: 0,
    },
    eventsPerMinute: 120,
    lastHalfHour: {
      perMinute: Array.from({ length: 30 }, (_, minute) => 90 + 30 * Math.round(Math.sin(minute / 3))),
      failed: 12,
      final: 1_000,
    },
    unreadConversations: 0,
    openGap: null,
    alerts: 0,
    runningCampaigns: 3,
    dncList: { state: 'fresh', asOf: ago(180_000) },
    rateLimit: { limitPerMinute: 200, used: 28, remaining: 172 },
    queuedRequests: 0,
    ...changes,
  }
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
  let appearance: Appearance = { theme: 'system', density: 'compact', language: 'system' }
  let fieldNames = structuredClone(defaultFieldNames)
  let place: string | null = null
  let filters: SavedFilter[] = [{ name: 'Failures of today', query: { status: 'failed,expired' } }]
  let saved = structuredClone(connections)
  let config: ListenerConfig = { port: 8787, address: '127.0.0.1', path: '/webhooks', allowUnsigned: false }
  let relay: RelaySettings = { mode: 'local', url: null, inbox: null, hasToken: false, tokenUnread: false }
  let secrets: ListenerSecret[] = [
    { id: 's-1', label: 'wh-1, current', addedAt: ago(3 * dayMs), retiresAt: null, value: 'known' },
    {
      id: 's-2',
      label: 'wh-1, before rotation',
      addedAt: ago(90 * dayMs),
      retiresAt: ago(-20 * 3_600_000),
      value: 'known',
    },
  ]

  const open = (connection: Connection) => {
    status.change({ connection, session: { state: 'signed-in', problem: null, endsAt: null } })
    return { connection, secrets: status.value().secrets }
  }
  const byId = (id: string) => {
    const found = saved.find((connection) => connection.id === id)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This connection' })
    return found
  }
  const activityAt = (connection: Connection, index: number): ConnectionActivity =>
    activityOf(connection, {
      inFront: status.value().connection?.id === connection.id,
      eventsPerMinute: 120 - 40 * index,
      unreadConversations: index === 1 ? 3 : 0,
    })
  const listenerView = () => ({
    config,
    publicBase: null,
    publicUrl: status.value().listener.relay?.webhookUrl ?? null,
    secrets,
    relay,
    status: status.value().listener,
  })

  const script: Script = {
    campaigns: scriptedCampaigns(ordinaryCampaigns()),
    connections: {
      list: () => ({
        connections: saved,
        activeId: status.value().connection?.id ?? null,
        secrets: status.value().secrets,
        restored: [],
      }),
      connect: (input) => {
        const connection: Connection = {
          id: input.id ?? `c-${saved.length}`,
          name: input.name,
          baseUrl: input.baseUrl,
          kind: 'service',
          colour: input.colour,
          production: input.production,
          credentialKind: input.credential.kind,
          username: input.credential.kind === 'password' ? input.credential.username : null,
          allowPlainHttp: input.allowPlainHttp ?? false,
          country: null,
          lastUsedAt: ago(0),
        }
        saved = [...saved.filter((one) => one.id !== connection.id), connection]
        return open(connection)
      },
      watch: async function* (_input: unknown, signal?: AbortSignal) {
        yield { connections: saved.map(activityAt), asOf: ago(0) }
        await aborted(signal)
      } as unknown as Script['connections']['watch'],
      setBackground: () => ({}),
      openSandbox: () => open(byId('c-sandbox')),
      sandboxUsers: () => ({
        users: [
          { username: 'operator@harbor.example', role: 'operator', tenant: 'Harbor Retail' },
          { username: 'viewer@harbor.example', role: 'viewer', tenant: 'Harbor Retail' },
        ],
      }),
      createSandboxKey: ({ username }) => ({ key: `sk_sandbox_of_${username}` }),
      open: ({ id }) => open(byId(id)),
      update: ({ id, name, colour, production, country }) => {
        const before = byId(id)
        const changed = { ...before, name, colour, production, country: country ?? before.country }
        saved = saved.map((one) => (one.id === id ? changed : one))
        if (status.value().connection?.id === id) status.change({ connection: changed })
        return changed
      },
      signOut: () => {
        status.change({ session: { state: 'signed-out', problem: null, endsAt: null } })
        return { problem: null }
      },
      remove: ({ id, confirmName }) => {
        const connection = byId(id)
        if (connection.production && confirmName !== connection.name) {
          throw new AppError('CONFIRMATION_MISMATCH', { name: connection.name })
        }
        saved = saved.filter((one) => one.id !== id)
        if (status.value().connection?.id === id) status.change({ connection: null })
        return { problem: null }
      },
      retryKeychain: () => {
        status.change({ secrets: inKeychain })
        return inKeychain
      },
    },
    contacts,
    dnc: dnc.answers,
    errorCodes: scriptedErrorCodes(ordinaryErrorCodes(), tasks),
    events: {
      search: ({ limit = 100 }) => ({
        items: ordinaryEvents(limit),
        nextCursor: null,
        matchingTotal: 1_204_518,
        storedTotal: 1_204_518,
        upToSeq: 1_204_518,
        asOf: ago(0),
      }),
      watch: async function* (_input: unknown, signal?: AbortSignal) {
        yield { items: [], changed: [], upToSeq: 1_204_518, storedTotal: 1_204_518, matchingTotal: 1_204_518 }
        await aborted(signal)
      } as unknown as Script['events']['watch'],
      get: ({ seq }) => {
        const event = ordinaryEvents(200).find((row) => row.seq === seq)
        if (!event) throw new AppError('NOT_FOUND', { what: 'This event' })
        return {
          event,
          rawBody: JSON.stringify({ event: event.kind, message_id: event.messageId, status: event.status }),
          headers: [['content-type', 'application/json']],
          copies: [{ receivedAt: event.receivedAt, afterFirstMs: 0 }],
          timeline: [event],
          messageStatus: event.status,
          recovered: null,
        }
      },
      series: ({ from, to, bucketMs }) => {
        const buckets = Math.floor((Date.parse(to) - Date.parse(from)) / bucketMs)
        const wave = (height: number, period: number) =>
          Array.from({ length: buckets }, (_item, at) => Math.round(height * (1 + Math.sin(at / period))))
        return {
          bucketMs,
          from,
          lines: [
            { name: 'submitted', counts: wave(22, 6) },
            { name: 'delivered', counts: wave(40, 9) },
            { name: 'failed', counts: wave(4, 4) },
            { name: 'expired', counts: wave(1, 11) },
            { name: 'mo', counts: wave(2, 5) },
          ],
          asOf: ago(0),
        }
      },
      gaps: () => ({ gaps, recordedSince: ago(40 * dayMs), asOf: ago(0) }),
      savedFilters: () => ({ filters }),
      saveFilter: (filter) => {
        filters = [...filters.filter(({ name }) => name !== filter.name), filter]
        return { filters }
      },
      removeFilter: ({ name }) => {
        filters = filters.filter((each) => each.name !== name)
        return { filters }
      },
      export: ({ format }) =>
        tasks.finish({ kind: 'export', subject: `events.${format}`, refId: 'file-export' }),
    },
    backups: {
      ...files.answers,
      start: () => ({ taskId: 'backup' }),
      restore: async function* () {} as unknown as Script['backups']['restore'],
    },
    files: files.answers,
    imports: scriptedImports(tasks),
    listener: {
      get: listenerView,
      freePort: () => ({ port: config.port + 1 }),
      setPublicBase: ({ publicBase }) => ({ ...listenerView(), publicBase, publicUrl: publicBase }),
      configure: (next) => {
        config = next
        const url = `http://${next.address}:${next.port}${next.path}`
        status.change({ listener: { ...status.value().listener, url } })
        return listenerView()
      },
      setRelay: ({ mode, url, inbox, token }) => {
        relay = { mode, url, inbox, hasToken: relay.hasToken || token !== undefined, tokenUnread: false }
        const connected = mode === 'local' || url === null ? null : connectedRelay(url, inbox ?? '')
        status.change({ listener: { ...status.value().listener, relay: connected } })
        return listenerView()
      },
      retryRelay: () => {
        if (relay.url !== null)
          status.change({
            listener: { ...status.value().listener, relay: connectedRelay(relay.url, relay.inbox ?? '') },
          })
        return listenerView()
      },
      addSecret: ({ label }) => {
        secrets = [
          ...secrets,
          { id: `s-${secrets.length + 1}`, label, addedAt: ago(0), retiresAt: null, value: 'known' },
        ]
        return listenerView()
      },
      removeSecret: ({ id }) => {
        secrets = secrets.filter((secret) => secret.id !== id)
        return listenerView()
      },
      refusals: () => ({ refusals, total: 3, byReason: refusalCounts, asOf: ago(0) }),
      refusal: ({ id }) => ({
        ...(refusals.find((refusal) => refusal.id === id) ?? refusals[0]!),
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
        match: {
          label: 'Production',
          received: 'as-is',
          secret: 'as-is',
          retiredAt: null,
        },
        hints: ['proxied', 'not-compact'],
      }),
    },
    messages: scriptedMessages(tasks),
    erase: scriptedErase(tasks),
    signedExports: scriptedSignedExports(tasks),
    recovery: scriptedRecovery(gaps, tasks),
    scheduled: scriptedScheduled(files),
    sheets: scriptedSheets(),
    templates: scriptedTemplates(tasks),
    analytics: scriptedAnalytics(tasks),
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
          activeCampaigns: 3,
          recentMessages: [],
        },
        freshness: live(),
      }),
    },
    desktop: desktop.answers,
    settings: {
      getAppearance: () => appearance,
      setAppearance: (next) => (appearance = { ...next, language: next.language ?? 'system' }),
      getPlace: () => ({ path: place }),
      setPlace: ({ path }) => {
        place = path
        return {}
      },
      getFieldNames: () => fieldNames,
      setFieldNames: (next) => (fieldNames = next),
      resetFieldNames: () => (fieldNames = structuredClone(defaultFieldNames)),
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
      watch: ((_input: unknown, signal?: AbortSignal) =>
        status.watch(signal)) as unknown as Script['status']['watch'],
      dismissNotice: ({ id }) => {
        status.change({ notices: status.value().notices.filter((notice) => notice.id !== id) })
        return {}
      },
    },
    tasks: tasks.answers,
    webhooks: {
      list: () => ({ subscriptions, freshness: live() }),
      subscribe: ({ url, receiver, secret }) => ({
        outcome: 'created',
        subscription: { ...subscriptions[1]!, id: 'wh-3', url },
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
