import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Clock } from '../lib/clock.ts'
import { createDisposer } from '../lib/disposable.ts'
import type { Log } from '../lib/log.ts'
import { bind } from '../listener/bind.ts'
import { feedPath } from '../listener/feed-protocol.ts'
import { createWebhookServer, type OtherAnswer } from '../listener/http-server.ts'
import { defaultLimits, type RefusalReason } from '../listener/protocol.ts'
import { targetPath } from '../listener/target-path.ts'
import { teamPath } from '../listener/team-protocol.ts'
import { UsageError } from '../lib/command-line.ts'
import type { RelayConfig } from './config.ts'
import { createAccess, createWaiting } from './console-access.ts'
import { createFeedServer } from './feed-server.ts'
import { type Inbox, openInbox } from './inbox.ts'
import { metricsType, relayMetrics } from './metrics.ts'
import { openStorage } from './storage.ts'
import { createTeamServer } from './team-server.ts'
import { bearerToken, openTokens } from './tokens.ts'

const heartbeatMs = 5_000
const dropEveryMs = 60_000
const certificateEveryMs = 60_000
/** Time for open requests to finish at a stop. */
const stopGraceMs = 1_000

export type Relay = Awaited<ReturnType<typeof startRelay>>

/**
 * Starts a relay: webhooks in, feeds out, health and metrics, all at one port. Throws `UsageError`, `OTHER_INSTANCE`,
 * `STORAGE_*` or the errors of `bind`; nothing runs then.
 */
export async function startRelay(config: RelayConfig, { clock, log }: { clock: Clock; log: Log }) {
  const running = createDisposer()
  try {
    return await start(config, clock, log, running)
  } catch (error) {
    await running.dispose()
    throw error
  }
}

async function start(
  config: RelayConfig,
  clock: Clock,
  log: Log,
  running: ReturnType<typeof createDisposer>,
) {
  const startedMs = clock.now()
  const storage = await openStorage(config, clock, log)
  running.add(() => storage.close())
  const inboxes = new Map<string, Inbox>()
  for (const one of config.inboxes) {
    const inbox = await openInbox(one, storage, clock, log)
    running.add(() => inbox.close())
    inboxes.set(inbox.name, inbox)
    if (!inbox.isSigned)
      log.warn('This inbox has no secret: anyone can send to it. Its deliveries are marked unsigned.', {
        inbox: inbox.name,
      })
  }
  const all = [...inboxes.values()]
  const byPath = new Map(all.map((inbox) => [targetPath(inbox.path), inbox.receiver]))

  const followTokens = () => Promise.all(all.map((inbox) => inbox.setReaders(tokens.readersOf(inbox.name))))
  const tokens = openTokens(storage.documents, clock, log, () => {
    waiting.lookAgain()
    followTokens().catch((error: unknown) => log.error('Could not register new tokens', { error }))
  })
  running.add(tokens.close)
  await followTokens()
  const { documents } = storage
  const access = createAccess(inboxes, tokens)
  const waiting = createWaiting(tokens, clock)
  const { feeds: maxFeeds, teamBytes: maxLogBytes } = config.limits
  const feed = createFeedServer({ access, waiting, documents, maxFeeds, log })
  const team = createTeamServer({ access, waiting, tokens, documents, maxFeeds, maxLogBytes, clock, log })

  const unknownPath: Partial<Record<RefusalReason, number>> = {}
  const server = createWebhookServer({
    receiverAt: (target) => byPath.get(targetPath(target)),
    limits: {
      ...defaultLimits,
      maxConnections: config.limits.connections,
      bodyBytes: config.limits.bodyBytes,
    },
    clock,
    log,
    onRefused({ sample }) {
      unknownPath[sample.reason] = (unknownPath[sample.reason] ?? 0) + 1
    },
    tls: config.tls ? certificateOf(config.tls) : undefined,
    answerOther,
  })
  const { address, port } = await bind(server, config.host, config.port)
  server.on('error', (error) => log.error('The listening socket failed', { error }))
  running.add(async () => {
    waiting.stop()
    await close(server, clock)
    for (const { store } of all) store.endListening('closed')
  })
  if (config.tls) running.add(followCertificate(server, config.tls, clock, log))
  for (const { store } of all) store.beginListening(port)
  running.add(
    clock.every(heartbeatMs, () => {
      for (const { store, team } of all) [store, team].forEach((one) => one.touch())
    }),
  )
  const dropOld = () => Promise.all(all.map((inbox) => inbox.dropOld())).then(() => {})
  running.add(clock.every(dropEveryMs, () => void dropOld()))

  function answerOther(
    req: IncomingMessage,
    keepSlot: () => void,
  ): OtherAnswer | Promise<OtherAnswer> | undefined {
    const path = req.url?.split('?')[0]
    if (path === teamPath && (req.method === 'GET' || req.method === 'POST'))
      return team.answer(req, keepSlot)
    if (req.method !== 'GET' && req.method !== 'HEAD') return undefined
    if (req.method === 'GET' && path === feedPath) return feed.answer(req, keepSlot)
    const contentType = 'application/json'
    if (req.url === '/healthz') return { status: 200, contentType, body: '{"status":"ok"}' }
    if (req.url === '/readyz') {
      const isReady = all.every(({ store }) => store.storing().kind === 'storing')
      // Anyone may ask, so the sums name no inbox. The metrics do.
      const backlog = { deliveries: 0, lost: 0 }
      for (const { store } of all) {
        const { deliveries, lost } = store.backlog() ?? { deliveries: 0, lost: 0 }
        backlog.deliveries += deliveries
        backlog.lost += lost
      }
      const hasBacklog = backlog.deliveries > 0 || backlog.lost > 0
      const body = JSON.stringify({
        status: isReady ? 'ready' : 'not storing',
        ...(hasBacklog ? { backlog } : {}),
      })
      return { status: isReady ? 200 : 503, contentType, body }
    }
    return req.url === '/metrics' ? answerMetrics(req) : undefined
  }

  async function answerMetrics(req: IncomingMessage): Promise<OtherAnswer> {
    const contentType = 'application/json'
    const token = await tokens.find(bearerToken(req)).catch(() => undefined)
    if (!token || token.inbox !== null || !tokens.isValid(token))
      return { status: 401, contentType, body: '{"error":"Metrics need a token made with --metrics."}' }
    const body = relayMetrics({
      startedMs,
      inboxes: all,
      feeds: feed.feeds(),
      feedsRefused: feed.refused(),
      unknownPath,
    })
    return { status: 200, contentType: metricsType, body }
  }

  return {
    address,
    port,
    /** Deletes what is beyond the limits now. */
    dropOld,
    feeds: feed.feeds,
    /** Answers open requests, ends the feeds, closes the stores. */
    stop: () => running.dispose(),
  }
}

async function close(server: Server, clock: Clock): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  const cancel = clock.after(stopGraceMs, () => server.closeAllConnections())
  await closed
  cancel()
}

function certificateOf({ certFile, keyFile }: NonNullable<RelayConfig['tls']>) {
  const read = (file: string, setting: string) => {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException
      throw new UsageError(
        `${setting} names ${file}, which can't be read (${code}). Check the path and its permissions.`,
      )
    }
  }
  return { cert: read(certFile, 'tls.certFile'), key: read(keyFile, 'tls.keyFile') }
}

/** Uses a renewed certificate for new connections. */
function followCertificate(
  server: Server,
  files: NonNullable<RelayConfig['tls']>,
  clock: Clock,
  log: Log,
): () => void {
  let seenMs = statSync(files.certFile).mtimeMs
  return clock.every(certificateEveryMs, () => {
    try {
      const { mtimeMs } = statSync(files.certFile)
      if (mtimeMs === seenMs) return
      if (server instanceof TlsServer) server.setSecureContext(certificateOf(files))
      seenMs = mtimeMs
      log.info('The certificate was renewed')
    } catch (error) {
      log.error('Could not use the renewed certificate; the old one stays', { error })
    }
  })
}
