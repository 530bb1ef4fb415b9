import { AppError, isAppError } from '../contract/errors.ts'
import type { Clock } from '../lib/clock.ts'
import { DamagedDatabase } from '../database/open.ts'
import type { Log } from '../lib/log.ts'
import { isLoopbackHost } from '../lib/loopback.ts'
import { atMostEvery } from '../lib/pulse.ts'
import { createCommitQueue, type CommitQueue } from './commit-queue.ts'
import { createDeliveryCounts } from './delivery-counts.ts'
import type { Receiver, WebhookRules } from './http-server.ts'
import { type Journal, openJournal, type SpanEnd, suspendedAfterMs } from './journal.ts'
import { createPorts, type Seat } from './ports.ts'
import {
  defaultLimits,
  type ListenerEvents,
  type ListenerFunctions,
  type ListenerLimits,
  type ListenerPlace,
  type ListenerSecret,
  type ListenerStart,
  type ListenerStarted,
  type ListenerStats,
  type RelayFeedConfig,
  type RelayFeedStatus,
} from './protocol.ts'
import { detailOf } from './refusal-diagnosis.ts'
import { createRelayFeed } from './relay-feed.ts'
import { createSignatureChecker } from './signature.ts'
import { singleEvents } from './single-events.ts'

/** While its database is busy, one connection holds at most this part of the port's slots. */
const busyShareDivisor = 4
/** At low rates the core reads five times a second, so it need not know of each delivery at once. */
const grewEveryMs = 100
const statsEveryMs = 1_000
const relayStatusEveryMs = 250
/** Heartbeat in the journal while nothing arrives. */
const heartbeatMs = 5_000

export interface ListenerParts {
  clock: Clock
  log: Log
  events: Omit<ListenerEvents, 'log'>
  /** Shared by the listeners that may use the same port. */
  ports?: ReturnType<typeof createPorts>
}

/**
 * The webhook listener of one connection: signature check and durable journal behind one path of a port, in one
 * thread, so nothing else delays an acknowledgement. A start that fails returns `refused` instead of throwing.
 */
export function createListener({
  clock,
  log,
  events,
  ports = createPorts(clock),
}: ListenerParts): ListenerFunctions {
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
  let seat: Seat | undefined
  let relay: RelayFeedConfig | null = null
  let feed: ReturnType<typeof createRelayFeed> | undefined
  let suspendedAtMs: number | null = null
  /** When the rules changed so that a span begins or ends, until that is recorded. */
  let changedMs: number | null = null
  let bound: { address: string; port: number; sinceMs: number } | undefined
  const cancels: (() => void)[] = []

  const grew = atMostEvery(clock, grewEveryMs, (seq: number) => events.journalGrew(seq))
  const sendStats = atMostEvery(clock, statsEveryMs, () => events.stats(stats()))
  const counts = createDeliveryCounts(() => sendStats(undefined))
  const sendRelay = atMostEvery(clock, relayStatusEveryMs, (status: RelayFeedStatus) => events.relay(status))

  function stats(): ListenerStats {
    return { ...counts.read(), storing: queue?.state() ?? { kind: 'storing' } }
  }

  const receiver: Receiver & { drain(): void } = {
    rules: () => rules,
    // A request may end after its listener stopped.
    store: (delivery) => (queue ? queue.push(delivery) : delivery.settle(false)),
    onAccepted: counts.accepted,
    onNotStored: counts.notStored,
    onRefused: counts.refused,
    drain: () => queue?.drain(),
  }

  function openStore(config: ListenerStart): CommitQueue {
    const opened = openJournal({
      file: config.journalFile,
      log,
      now: clock.now,
      clock,
      onDamage: events.journalDamaged,
      leaveDamaged: config.leaveDamaged ?? false,
      ...(config.continueAfterSeq === undefined ? {} : { continueAfterSeq: config.continueAfterSeq }),
    })
    journal = opened
    return createCommitQueue({
      split: singleEvents,
      append(deliveries) {
        grew(opened.append(deliveries))
      },
      clock,
      storeDeadlineMs: limits.storeDeadlineMs,
      pendingBytes: limits.pendingBytes,
      busyDeliveries: Math.floor(limits.maxConnections / busyShareDivisor),
      onState(state) {
        if (state.kind === 'storing') log.info('Deliveries are stored again')
        else log.error('Could not store deliveries', { code: state.code, ...state.data })
        events.storing(state)
      },
      beforeRecovery() {
        if (!bound) return
        opened.endSpan(opened.aliveMs(), 'not-stored')
        if (canVerify()) opened.beginSpan(clock.now(), bound.port)
      },
    })
  }

  /** Whether any delivery can be accepted. */
  const canVerify = () => !rules.secretsUnread && (rules.allowUnsigned || !rules.checker.empty(clock.now()))

  /**
   * Begins or ends the span when that changed: what can't be verified is refused, so it is no listening time. If the journal can't be
   * written, the next heartbeat records it as of `changedMs`.
   */
  function followRules(): void {
    if (!bound || !journal || suspendedAtMs !== null || canVerify() === journal.isListening()) {
      changedMs = null
      return
    }
    changedMs ??= clock.now()
    if (canVerify()) journal.beginSpan(changedMs, bound.port)
    else journal.endSpan(changedMs, rules.secretsUnread ? 'not-stored' : 'no-secret')
    changedMs = null
  }

  function setRules(change: Partial<WebhookRules>): void {
    rules = { ...rules, ...change }
    feed?.recheck()
    try {
      followRules()
    } catch (error) {
      log.warn('Could not record yet whether deliveries can be accepted', { error })
    }
  }

  function startFeed(): void {
    feed?.stop()
    feed = undefined
    const opened = journal
    if (!opened || relay === null) return
    feed = createRelayFeed({
      config: relay,
      journal: opened,
      rules: () => ({ ...rules, allowUnsigned: place?.allowUnsigned ?? false }),
      proxies: events.proxies,
      clock,
      log,
      onStored(deliveries, isLive) {
        counts.stored(deliveries, isLive)
        grew(opened.lastSeq())
      },
      onRefused: counts.refused,
      onStatus: sendRelay,
    })
  }

  function setRelay(next: RelayFeedConfig | null): void {
    const isSame = JSON.stringify(next) === JSON.stringify(relay)
    relay = next
    if (isSame) feed?.retry()
    else startFeed()
  }

  function setPlace(wanted: ListenerPlace): void {
    place = wanted
    // Elsewhere anyone could send unsigned deliveries.
    setRules({ path: wanted.path, allowUnsigned: wanted.allowUnsigned && isLoopbackHost(wanted.host) })
  }

  function heartbeat(): void {
    const opened = journal
    if (!opened || !(bound || place?.noPort)) return
    // A running timer proves that the machine is awake, even without a wake event.
    if (suspendedAtMs !== null && clock.now() - suspendedAtMs > suspendedAfterMs) resumeSpan()
    queue?.probe(() => {
      // A secret may have retired.
      followRules()
      opened.touch(clock.now())
    })
  }

  function suspend(): void {
    if (!journal || !bound) return
    suspendedAtMs ??= clock.now()
    endSpan(journal, 'suspended')
  }

  function endSpan(opened: Journal, reason: SpanEnd): void {
    try {
      opened.endSpan(clock.now(), reason)
    } catch (error) {
      log.warn('Could not record when listening ended', { error })
    }
  }

  function resumeSpan(): void {
    if (suspendedAtMs === null || !journal || !bound) return
    suspendedAtMs = null
    if (!canVerify()) return
    try {
      journal.beginSpan(clock.now(), bound.port)
    } catch (error) {
      log.warn('Could not record when listening began', { error })
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

  async function wake(): Promise<ListenerStarted | null> {
    feed?.wake()
    return bound ? refusing(wakePort) : null
  }

  async function wakePort(): Promise<ListenerStarted> {
    const opened = journal
    if (!opened || !bound || !place)
      throw new AppError('LISTENER_FAILED', { detail: { key: 'listener.stopped' } })
    if (await seat?.answers()) {
      resumeSpan()
      heartbeat()
      return listening(opened, bound)
    }
    log.warn('The listener did not answer after a sleep; reopening it')
    await close('suspended')
    return open(opened, place)
  }

  async function open(opened: Journal, wanted: ListenerPlace): Promise<ListenerStarted> {
    setPlace(wanted)
    if (wanted.noPort)
      return {
        kind: 'no-port',
        lastSeq: opened.lastSeq(),
        ...(opened.loss ? { journalLoss: opened.loss } : {}),
      }
    if (!isLoopbackHost(wanted.host) && rules.checker.empty(clock.now()))
      throw new AppError('WIDE_BIND_NEEDS_SECRET')
    seat = await ports.join(receiver, wanted, { limits, log })
    const { address, port } = seat
    const sinceMs = clock.now()
    bound = { address, port, sinceMs }
    suspendedAtMs = null
    // Without a secret nothing can arrive. An empty span lets the gap after it name that cause.
    if (canVerify() || opened.hasListened()) opened.beginSpan(sinceMs, port)
    followRules()
    return { ...listening(opened, bound), ...(opened.loss ? { journalLoss: opened.loss } : {}) }
  }

  /** Takes no more requests, answers the open ones and commits. */
  async function close(reason: SpanEnd): Promise<void> {
    const leaving = seat
    seat = undefined
    await leaving?.leave()
    queue?.drain()
    if (bound && journal) endSpan(journal, reason)
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
      if (error instanceof DamagedDatabase) return { kind: 'damaged' }
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
    feed?.stop()
    feed = undefined
    await close(reason)
    // The buffer may still hold the newest value.
    if (journal) events.journalGrew(journal.lastSeq())
    journal?.close()
    journal = undefined
    queue = undefined
  }

  function setSecrets(secrets: ListenerSecret[], secretsUnread = false): void {
    setRules({ checker: createSignatureChecker(secrets), secretsUnread })
    storeProven()
    counts.secretsChanged()
  }

  /** Stores rejected deliveries that a secret proves now: one may be an opt-out. The service counts them as failed. */
  function storeProven(): void {
    for (const { sample, headers, body, receivedSignature } of counts.refusals.unproven()) {
      if (!body || receivedSignature === null) continue
      const verdict = rules.checker.check(body, receivedSignature, sample.atMs)
      if (!verdict.ok) continue
      const { secretId } = verdict
      const receivedMs = clock.now()
      queue?.push({
        receivedMs,
        verdict: 'signed',
        secretId,
        remote: sample.remote,
        headersJson: JSON.stringify(headers),
        body,
        arrivedMs: clock.monotonic(),
        settle(isStored) {
          if (!isStored) return
          counts.refusals.forget(sample.id)
          counts.stored([{ secretId, receivedMs, body }])
        },
      })
    }
    queue?.drain()
  }

  async function begin(config: ListenerStart): Promise<ListenerStarted> {
    queue = openStore(config)
    place = config
    startFeed()
    cancels.push(clock.every(heartbeatMs, heartbeat))
    return open(journal!, config)
  }

  return {
    start: (config) =>
      refusing(async () => {
        await stop()
        startedWith = config
        limits = { ...defaultLimits, ...config.limits }
        setSecrets(config.secrets, config.secretsUnread)
        relay = config.relay ?? null
        return begin(config)
      }),
    repair({ journalFile, continueAfterSeq = 0 }) {
      const repaired = openJournal({ file: journalFile, continueAfterSeq, log, now: clock.now })
      repaired.close()
      return repaired.loss ?? null
    },
    reconfigure: (wanted) =>
      refusing(async () => {
        if (!startedWith) throw new AppError('LISTENER_FAILED', { detail: { key: 'listener.neverStarted' } })
        // What blocked the journal (a full disk, a lock) may be over.
        if (!queue || !journal) return begin({ ...startedWith, ...wanted })
        const stays =
          !wanted.noPort &&
          bound &&
          place &&
          place.host === wanted.host &&
          (wanted.port === bound.port || wanted.port === place.port)
        if (!stays) {
          await close('moved')
          return open(journal, wanted)
        }
        seat!.movePath(wanted)
        setPlace(wanted)
        return listening(journal, bound!)
      }),
    setSecrets,
    setRelay,
    retryRelay: () => feed?.retry(),
    suspend,
    wake,
    stats,
    prune: (range) => journal?.prune(range) ?? null,
    erase: (seqs) => journal?.erase(seqs) ?? null,
    truncateLog: () => journal?.truncateLog() ?? true,
    refusals: counts.refusals.samples,
    refusal(id) {
      const found = counts.refusals.find(id)
      return found ? detailOf(found, rules.checker.keys, clock.now()) : null
    },
    stop,
  }
}
