import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { AppError, isAppError } from '../contract/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { isLoopbackHost } from '../lib/loopback.ts'
import { bind } from './bind.ts'
import { createCommitQueue, type CommitQueue } from './commit-queue.ts'
import { createWebhookServer, type WebhookRules } from './http-server.ts'
import { type Journal, openJournal, type SpanEnd, suspendedAfterMs } from './journal.ts'
import { createLatencyHistogram } from './latency.ts'
import {
  defaultLimits,
  type ListenerEvents,
  type ListenerFunctions,
  type ListenerLimits,
  type ListenerPlace,
  type ListenerSecret,
  type RefusalReason,
  type ListenerStart,
  type ListenerStarted,
  type ListenerStats,
} from './protocol.ts'
import { detailOf } from './refusal-diagnosis.ts'
import { createRefusalRing } from './refusals.ts'
import { createSignatureChecker } from './signature.ts'

const grewEveryMs = 20
const statsEveryMs = 250
/** Heartbeat in the journal while nothing arrives. */
const heartbeatMs = 5_000
/** After a sleep, the listener's own port must accept within this time. */
const ownPortTimeoutMs = 2_000
/** Time for open requests to finish at a stop. */
const stopGraceMs = 1_000

export interface ListenerParts {
  clock: Clock
  log: Log
  events: Omit<ListenerEvents, 'log'>
}

/** Calls `send` with the newest value: at once, then at most every `everyMs`. */
function createCoalescer<T>(clock: Clock, everyMs: number, send: (value: T) => void) {
  let waiting: { value: T } | undefined
  let running = false
  const tick = () => {
    if (!waiting) {
      running = false
      return
    }
    const { value } = waiting
    waiting = undefined
    send(value)
    clock.after(everyMs, tick)
  }
  return (value: T) => {
    waiting = { value }
    if (running) return
    running = true
    tick()
  }
}

/**
 * The webhook listener: HTTP, signature check and durable journal in one thread, so nothing else delays an
 * acknowledgement. A start that fails returns `refused` instead of throwing.
 */
export function createListener({ clock, log, events }: ListenerParts): ListenerFunctions {
  const refusals = createRefusalRing()
  const latency = createLatencyHistogram()
  let limits: ListenerLimits = defaultLimits
  let place: ListenerPlace | undefined
  let rules: WebhookRules = {
    path: '',
    allowUnsigned: false,
    checker: createSignatureChecker([]),
    secretsUnread: false,
  }
  let startedWith: ListenerStart | undefined
  let journal: Journal | undefined
  let queue: CommitQueue | undefined
  let server: Server | undefined
  let suspendedAtMs: number | null = null
  let bound: { address: string; port: number; sinceMs: number } | undefined
  let accepted = 0
  let unsigned = 0
  const bySecret = new Map<string, { count: number; lastMs: number }>()
  let notStored = 0
  let lastDeliveryMs: number | null = null
  let lastRefusalReason: RefusalReason | null = null
  const sockets = new Set<Socket>()
  const cancels: (() => void)[] = []

  const grew = createCoalescer(clock, grewEveryMs, (seq: number) => events.journalGrew(seq))
  const sendStats = createCoalescer(clock, statsEveryMs, () => events.stats(stats()))

  function stats(): ListenerStats {
    return {
      accepted,
      unsigned,
      bySecret: Object.fromEntries(bySecret),
      notStored,
      refused: refusals.counts(),
      refusedTotal: refusals.total(),
      lastRefusalReason,
      openSockets: sockets.size,
      lastDeliveryMs,
      ackLatency: latency.summary(),
      storing: queue?.state() ?? { kind: 'storing' },
    }
  }

  function createServer(commits: CommitQueue): Server {
    const created = createWebhookServer({
      rules: () => rules,
      limits,
      clock,
      store: (delivery) => commits.push(delivery),
      onAccepted(delivery, tookMs) {
        accepted++
        if (delivery.secretId === null) unsigned++
        else {
          const count = (bySecret.get(delivery.secretId)?.count ?? 0) + 1
          bySecret.set(delivery.secretId, { count, lastMs: delivery.receivedMs })
        }
        lastDeliveryMs = delivery.receivedMs
        latency.record(tookMs)
        sendStats(undefined)
      },
      onNotStored() {
        notStored++
        sendStats(undefined)
      },
      onRefused(refusal) {
        refusals.add(refusal)
        lastRefusalReason = refusal.sample.reason
        sendStats(undefined)
      },
    })
    created.on('connection', (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    return created
  }

  function openStore(config: ListenerStart): CommitQueue {
    const opened = openJournal({
      file: config.journalFile,
      log,
      now: clock.now,
      clock,
      onDamage: events.journalDamaged,
      ...(config.continueAfterSeq === undefined ? {} : { continueAfterSeq: config.continueAfterSeq }),
    })
    journal = opened
    return createCommitQueue({
      append(deliveries) {
        grew(opened.append(deliveries))
      },
      clock,
      storeDeadlineMs: limits.storeDeadlineMs,
      pendingBytes: limits.pendingBytes,
      onState(state) {
        if (state.kind === 'storing') log.info('Storing deliveries works again')
        else log.error('Deliveries cannot be stored', { code: state.code, ...state.data })
        events.storing(state)
      },
      beforeRecovery() {
        if (!bound) return
        opened.endSpan(opened.aliveMs(), 'not-stored')
        if (!rules.secretsUnread) opened.beginSpan(clock.now(), bound.port)
      },
    })
  }

  function setPlace(wanted: ListenerPlace): void {
    place = wanted
    // Elsewhere anyone could send unsigned deliveries.
    rules = {
      ...rules,
      path: wanted.path,
      allowUnsigned: wanted.allowUnsigned && isLoopbackHost(wanted.host),
    }
  }

  function heartbeat(): void {
    const opened = journal
    if (!opened || !bound) return
    // A running timer proves that the machine is awake, even without a wake event.
    if (suspendedAtMs !== null && clock.now() - suspendedAtMs > suspendedAfterMs) resumeSpan()
    queue?.probe(() => opened.touch(clock.now()))
  }

  function suspend(): void {
    if (!journal || !bound) return
    const nowMs = clock.now()
    suspendedAtMs ??= nowMs
    try {
      journal.endSpan(nowMs, 'suspended')
    } catch (error) {
      log.warn('The end of listening could not be recorded', { error })
    }
  }

  function resumeSpan(): void {
    if (suspendedAtMs === null || !journal || !bound) return
    suspendedAtMs = null
    if (rules.secretsUnread) return
    try {
      journal.beginSpan(clock.now(), bound.port)
    } catch (error) {
      log.warn('The start of listening could not be recorded', { error })
    }
  }

  const listening = (opened: Journal, { address, port, sinceMs }: NonNullable<typeof bound>) => ({
    kind: 'listening' as const,
    address,
    port,
    path: rules.path,
    sinceMs,
    lastSeq: opened.lastSeq(),
  })

  async function wake(): Promise<ListenerStarted> {
    const opened = journal
    if (!opened || !bound || !place)
      throw new AppError('LISTENER_FAILED', { detail: { key: 'listener.stopped' } })
    if (await acceptsConnections(bound)) {
      resumeSpan()
      heartbeat()
      return listening(opened, bound)
    }
    log.warn('The listener did not answer after a sleep; reopening it')
    await close('suspended')
    return open(queue!, opened, place)
  }

  async function open(
    commits: CommitQueue,
    opened: Journal,
    wanted: ListenerPlace,
  ): Promise<ListenerStarted> {
    setPlace(wanted)
    if (!isLoopbackHost(wanted.host) && rules.checker.empty(clock.now()))
      throw new AppError('WIDE_BIND_NEEDS_SECRET')
    const created = createServer(commits)
    const { address, port } = await bind(created, wanted.host, wanted.port)
    created.on('error', (error) => log.error('The listening socket failed', { error }))
    server = created
    const sinceMs = clock.now()
    bound = { address, port, sinceMs }
    suspendedAtMs = null
    if (!rules.secretsUnread) opened.beginSpan(sinceMs, port)
    return { ...listening(opened, bound), ...(opened.loss ? { journalLoss: opened.loss } : {}) }
  }

  /** Stops accepting, lets open requests finish, commits, closes the rest. */
  async function close(reason: SpanEnd): Promise<void> {
    const closing = server
    server = undefined
    if (closing) {
      const closed = once(closing, 'close')
      closing.close()
      const cancel = clock.after(stopGraceMs, () => {
        queue?.drain()
        closing.closeAllConnections()
      })
      await closed
      cancel()
      // Their own close events come later.
      sockets.clear()
    }
    queue?.drain()
    if (bound && journal) {
      try {
        journal.endSpan(clock.now(), reason)
      } catch (error) {
        log.warn('The end of listening could not be recorded', { error })
      }
    }
    bound = undefined
  }

  /** The place is retried every few seconds; log each refusal once. */
  let loggedRefusal: string | undefined

  async function refusing(work: () => Promise<ListenerStarted>): Promise<ListenerStarted> {
    try {
      const started = await work()
      loggedRefusal = undefined
      return started
    } catch (error) {
      const known = isAppError(error)
        ? error
        : new AppError('LISTENER_FAILED', { detail: (error as Error).message }, { cause: error })
      if (known.message !== loggedRefusal)
        log.error('The listener could not start', { code: known.code, error })
      loggedRefusal = known.message
      return { kind: 'refused', code: known.code, data: known.data }
    }
  }

  async function stop(reason: SpanEnd = 'closed'): Promise<void> {
    for (const cancel of cancels.splice(0)) cancel()
    await close(reason)
    // The buffer may still hold the newest value.
    if (journal) events.journalGrew(journal.lastSeq())
    journal?.close()
    journal = undefined
    queue = undefined
  }

  function setSecrets(secrets: ListenerSecret[], secretsUnread = false): void {
    const before = rules.secretsUnread
    rules = { ...rules, checker: createSignatureChecker(secrets), secretsUnread }
    if (!bound || !journal || before === secretsUnread) return
    // Unverifiable deliveries are turned away, so this is no listening time.
    if (secretsUnread) journal.endSpan(clock.now(), 'not-stored')
    else if (suspendedAtMs === null) journal.beginSpan(clock.now(), bound.port)
  }

  async function begin(config: ListenerStart): Promise<ListenerStarted> {
    queue = openStore(config)
    cancels.push(clock.every(heartbeatMs, heartbeat))
    return open(queue, journal!, config)
  }

  return {
    start: (config) =>
      refusing(async () => {
        await stop()
        startedWith = config
        limits = { ...defaultLimits, ...config.limits }
        setSecrets(config.secrets, config.secretsUnread)
        return begin(config)
      }),
    reconfigure: (wanted) =>
      refusing(async () => {
        if (!startedWith) throw new AppError('LISTENER_FAILED', { detail: { key: 'listener.neverStarted' } })
        // What blocked the journal (a full disk, a lock) may be over.
        if (!queue || !journal) return begin({ ...startedWith, ...wanted })
        const stays =
          bound &&
          place &&
          place.host === wanted.host &&
          (wanted.port === bound.port || wanted.port === place.port)
        if (!stays) {
          await close('moved')
          return open(queue, journal, wanted)
        }
        setPlace(wanted)
        return listening(journal, bound!)
      }),
    setSecrets,
    suspend,
    wake: () => (bound ? refusing(wake) : Promise.resolve(null)),
    stats,
    prune: (range) => journal?.prune(range) ?? null,
    erase: (seqs) => journal?.erase(seqs) ?? null,
    truncateLog: () => journal?.truncateLog() ?? true,
    refusals: () => refusals.samples(),
    refusal(id) {
      const found = refusals.find(id)
      return found ? detailOf(found, rules.checker.keys, clock.now()) : null
    },
    stop,
  }
}

function acceptsConnections({ address, port }: { address: string; port: number }): Promise<boolean> {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ownPortTimeoutMs })
    const settle = (isAnswered: boolean) => {
      socket.destroy()
      resolve(isAnswered)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}
