import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../lib/clock.ts'
import { createDisposer } from '../lib/disposable.ts'
import { type Log, createLog } from '../lib/log.ts'
import { type User, seededTenants } from './accounts.ts'
import { createAdmin } from './admin.ts'
import { createApiKeys } from './api-keys.ts'
import { createDice } from './dice.ts'
import { analyticsEndpoints } from './endpoints/analytics.ts'
import { authEndpoints } from './endpoints/auth.ts'
import { campaignEndpoints } from './endpoints/campaigns.ts'
import { listEndpoints } from './endpoints/lists.ts'
import { messageEndpoints } from './endpoints/messages.ts'
import { templateEndpoints } from './endpoints/templates.ts'
import { webhookEndpoints } from './endpoints/webhooks.ts'
import { errorCodeCatalogue } from './error-catalogue.ts'
import { createFaults } from './faults/create-faults.ts'
import { createRouter } from './http/router.ts'
import { type RequestRecord, createHttpServer } from './http/server.ts'
import { createRateWindows } from './rate-window.ts'
import { recentEvents } from './recent-events.ts'
import { createRing } from './ring.ts'
import type { Sandbox, SandboxOptions, SandboxTenant } from './sandbox.ts'
import { type TenantSeed, createTenant, seedTenant } from './seed/seed-tenant.ts'
import { type Service, type ServiceStats, userNamed } from './service.ts'
import { createSessions } from './sessions.ts'
import { type SavedState, createStateKeeper, readStateFile, restoreTenant } from './state-file.ts'
import { type Tenant, viewOf } from './tenant.ts'
import { createTraffic, messagesPerSecond } from './traffic.ts'
import { createWebhookDeliveries } from './webhook-deliveries.ts'
import { sampleEvent } from './webhook-events.ts'
import { type DlrEvent, type MoEvent, type ServiceEvent, toTime } from './wire.ts'

export type { Sandbox, SandboxOptions } from './sandbox.ts'

const requestLogSize = 5_000
const host = '127.0.0.1'

const silentLog: Log = createLog(() => {}, 'sandbox')

/** Users of the seeded tenants, with ids from the seed. */
function createUsers(seed: number): Map<string, User> {
  const users = new Map<string, User>()
  seededTenants.forEach((given, tenant) => {
    const dice = createDice(seed, `${given.slug}/users`)
    for (const user of given.users) {
      const id = dice.uuid()
      users.set(id, { id, tenant, ...user })
    }
  })
  return users
}

function createTenants(
  options: SandboxOptions,
  users: ReadonlyMap<string, User>,
  seed: number,
  nowMs: number,
  saved: SavedState | null,
): Tenant[] {
  return seededTenants.map((given, index) => {
    const first = index === 0
    const operator = [...users.values()].find((user) => user.tenant === index)!
    const dncCount = options.dncCount ?? 250
    const contactsCount = options.contactsCount ?? 500
    const plan: TenantSeed = {
      seed,
      name: given.name,
      slug: given.slug,
      trafficShare: given.trafficShare,
      messagesPerSecond: messagesPerSecond(options.ratePerSecond ?? 20, given.trafficShare),
      contactsCount: first ? contactsCount : Math.min(contactsCount, 60),
      dncCount: first ? dncCount : Math.min(dncCount, 40),
      messagesCap: options.messagesCap ?? 20_000,
      operatorId: operator.id,
      nowMs,
    }
    if (!saved) return seedTenant(plan)
    const tenant = createTenant(plan, saved.generation)
    const kept = saved.tenants.find((candidate) => candidate.id === tenant.id)
    if (kept) restoreTenant(tenant, kept)
    return tenant
  })
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/**
 * Starts the messaging service on this machine. Rejects with `EADDRINUSE` when the port is taken, and with a
 * readable Error when the state file can't be used or the fault is unknown.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = options.clock ?? systemClock
  const log = options.log ?? silentLog
  const seed = options.seed ?? 1
  const disposer = createDisposer()
  const saved = options.stateFile === undefined ? null : await readStateFile(options.stateFile, seed)
  if (saved) saved.generation++
  const users = createUsers(seed)
  const tenants = createTenants(options, users, seed, clock.now(), saved)
  const faults = createFaults(createDice(seed, 'faults'))
  faults.set(options.fault ?? null)
  const sessions = createSessions(clock, options.accessTokenSeconds ?? 900, saved?.sessions)
  const apiKeys = createApiKeys(saved?.apiKeys)
  const deliveries = createWebhookDeliveries({ clock, log, faults })
  disposer.add(() => deliveries.stop())
  const stats: ServiceStats = {
    requests: 0,
    perEndpoint: {},
    perStatus: {},
    logins: 0,
    refreshes: 0,
    dlrEvents: 0,
    moEvents: 0,
  }
  const listeners = new Set<(tenantName: string, event: ServiceEvent) => void>()

  function emit(tenant: Tenant, event: ServiceEvent): void {
    if (event.event === 'dlr') stats.dlrEvents++
    else stats.moEvents++
    for (const listener of listeners) listener(tenant.name, event)
    deliveries.publish(tenant, event)
  }

  const traffic = createTraffic({
    clock,
    tenants,
    ratePerSecond: options.ratePerSecond ?? 20,
    running: options.traffic ?? true,
    emit,
  })
  disposer.add(() => traffic.stop())

  const service: Service = {
    clock,
    tenants,
    users,
    sessions,
    apiKeys,
    faults,
    traffic,
    deliveries,
    errorCodes: errorCodeCatalogue(createDice(seed, 'error codes')),
    allowRemoteWebhooks: options.allowRemoteWebhooks ?? false,
    recentEvents: (tenant) => (options.history ? recentEvents(tenant, seed, clock.now()) : []),
    stats,
  }
  const requestLog = createRing<RequestRecord>(requestLogSize)
  const adminToken = randomBytes(16).toString('hex')
  const windows = createRateWindows(
    clock,
    options.rateLimitPerMinute === undefined ? 200 : options.rateLimitPerMinute,
  )
  const server = createHttpServer({
    service,
    router: createRouter([
      ...authEndpoints,
      ...campaignEndpoints,
      ...messageEndpoints,
      ...templateEndpoints,
      ...listEndpoints,
      ...analyticsEndpoints,
      ...webhookEndpoints,
    ]),
    takeRate: windows.take,
    requestLog,
    admin: createAdmin(service, () => sandbox, adminToken),
    log,
  })

  let port: number
  try {
    port = await listen(server, options.port ?? 0)
  } catch (error) {
    await disposer.dispose()
    throw error
  }
  disposer.add(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )

  const keeper = createStateKeeper({
    path: options.stateFile,
    clock,
    log,
    snapshot: () => ({
      seed,
      generation: saved?.generation ?? 0,
      sessions: sessions.state(),
      apiKeys: apiKeys.state(),
      tenants,
    }),
  })
  disposer.add(() => keeper.stop())

  /** Saves after the last answer, so nothing acknowledged is missing. */
  async function stop(): Promise<void> {
    try {
      await disposer.dispose()
    } finally {
      await keeper.save()
    }
  }

  function tenantNamed(name?: string): Tenant {
    const tenant = name === undefined ? tenants[0] : tenants.find((candidate) => candidate.name === name)
    if (!tenant)
      throw new Error(`There is no tenant "${name}". Known: ${tenants.map((t) => t.name).join(', ')}.`)
    return tenant
  }

  const seeded: SandboxTenant[] = tenants.map((tenant, index) => {
    const given = seededTenants[index]!
    const { username, password } = given.users[0]
    return {
      id: tenant.id,
      name: tenant.name,
      username,
      password,
      users: given.users.map((user) => ({ ...user })),
    }
  })

  let stopping: Promise<void> | null = null
  const sandbox: Sandbox = {
    baseUrl: `http://${host}:${port}/v1`,
    port,
    tenants: seeded,
    adminToken,
    setFault: (name, given) => faults.set(name, given),
    activeFault: () => faults.active(),
    stats: () => ({
      ...stats,
      perEndpoint: { ...stats.perEndpoint },
      perStatus: { ...stats.perStatus },
      webhooks: { ...deliveries.counts(), open: deliveries.open() },
    }),
    requestLog: () => requestLog.items(),
    deliveries: () => deliveries.log(),
    tenant: (name) => viewOf(tenantNamed(name)),
    emitDlr(given) {
      const tenant = tenantNamed(given.tenant)
      const event: DlrEvent = {
        event: 'dlr',
        message_id: given.messageId ?? tenant.callDice.uuid(),
        status: given.status,
        error_code: given.errorCode ?? null,
        destination: given.destination ?? '+4915112345678',
        delivered_at: toTime(clock.now()),
      }
      emit(tenant, event)
      return event
    },
    emitMo(given) {
      const tenant = tenantNamed(given.tenant)
      const sample = sampleEvent(tenant, 'mo', clock.now()) as MoEvent
      const event: MoEvent = {
        ...sample,
        content: given.content,
        message_id: given.messageId ?? sample.message_id,
        source: given.source ?? sample.source,
        destination: given.destination ?? sample.destination,
      }
      emit(tenant, event)
      return event
    },
    tick: (ms) => traffic.advance(ms),
    onEvent(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    createApiKey(username) {
      const user = userNamed(users, username)
      if (!user) throw new Error(`There is no user "${username}".`)
      return apiKeys.create(user.id)
    },
    revokeApiKey: (id) => apiKeys.revoke(id),
    save: () => keeper.save(),
    stop: () => (stopping ??= stop()),
  }
  // Only now: a sandbox whose port is taken must not touch the running one's file.
  try {
    await keeper.start()
  } catch (error) {
    await disposer.dispose()
    throw error
  }
  log.info('Sandbox listening', { port })
  return sandbox
}
