import { isIP } from 'node:net'
import type { Connection } from '../../../contract/connection/connections.ts'
import type { OutputOf } from '../../../contract/define.ts'
import type {
  ListenerConfig,
  listenerContract,
  ListenerStatus,
  RelayOrder,
  Silence,
} from '../../../contract/live/listener.ts'
import { AppError } from '../../../contract/errors.ts'
import type { InboundProblem } from '../../../contract/people/outbox.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import { createSerial } from '../../../lib/serial.ts'
import type { JournalPrune } from '../../../listener/protocol.ts'
import type { SecretStore } from '../../ports.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import { nextFreePort, whyNotFree } from './free-port.ts'
import { createListenerCounts } from './listener-counts.ts'
import { inboundProblems, type Receiving } from './inbound-problem.ts'
import { createListenerSettings, type ListenerPlace, urlOf } from './listener-settings.ts'
import { createRefusalViews } from './refusal-views.ts'
import { createRelayLink } from './relay-link.ts'
import { createSigningSecrets } from './signing-secrets.ts'
import { createStoredReading } from './stored-reading.ts'
import { createListenerRun, type ListenerTells } from './listener-run.ts'
import type { ListenerThreads } from './listener-thread-client.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Interval for reading secrets again while the keychain is locked. Each try takes the keychain process up to 3 s. */
const reloadEveryMs = 10_000

export type ListenerView = OutputOf<typeof listenerContract, 'get'>

export type ListenerService = ReturnType<typeof createListenerService>

interface Parts extends Pick<PlatformParts, 'settings' | 'clock' | 'log'> {
  connection: () => Pick<Connection, 'id' | 'name'>
  journalFile: string
  secrets: SecretStore
  /** Secrets from the start configuration. Their values are never saved. */
  startSecrets: { label: string; value: string }[]
  keepSecret: (account: string, value: string) => Promise<unknown>
  /** Removes a keychain account, with a tombstone when that can't be confirmed. */
  forgetSecret: (account: string) => Promise<unknown>
  listenerPlace: ListenerPlace
  listenerThreads: ListenerThreads
  /** Proxies for an origin; null connects directly. */
  resolveProxies: (origin: string) => Promise<(string | null)[]>
  /** Port of the host's own page, if it has one. */
  pagePort: number | undefined
  /** Highest journal number ever projected. */
  continueAfterSeq: () => number
  /** Highest number in the journal, and up to which it became events. Throws when the journal can't be read. */
  stored: () => { lastSeq: number; readSeq: number }
  tells: ListenerTells
}

/** The webhook listener of one connection: its address, secrets and state. */
export function createListenerService(parts: Parts) {
  const { clock } = parts
  const { id: connectionId } = parts.connection()
  const settings = createListenerSettings(parts.settings, parts.connection(), parts.listenerPlace)
  const serial = createSerial()
  const secrets = createSigningSecrets({
    ...parts,
    connectionId,
    settings,
    async onChange() {
      await passSecrets()
      changed()
    },
  })
  const relay = createRelayLink({ ...parts, connectionId, settings })
  const counts = createListenerCounts(clock)
  let cancelReload = () => {}
  let silence: Silence | null = null
  let subscription = (): Receiving['subscription'] => null
  const reading = createStoredReading(parts.stored, clock, (error) =>
    parts.log.warn('Could not see yet what the journal has', { error }),
  )
  const changed = parts.tells.change
  const run = createListenerRun({
    ...parts,
    threads: parts.listenerThreads,
    config: () => ({
      ...place(),
      journalFile: parts.journalFile,
      leaveDamaged: true,
      secrets: secrets.known(),
      secretsUnread: secrets.isUnreadForNow(),
      relay: relay.config(),
      continueAfterSeq: parts.continueAfterSeq(),
    }),
    events: {
      stats(value) {
        counts.report(value)
        changed()
      },
      relay(status) {
        const wasBehind = relay.reading() !== 'read'
        relay.report(status)
        if (wasBehind && relay.reading() === 'read') reading.readStored()
        changed()
      },
      proxies: parts.resolveProxies,
    },
    onBegin: counts.begin,
    onEnd() {
      counts.ended()
      relay.ended()
    },
    onFailure: (reason) => settings.noteFailure({ atMs: clock.now(), reason }),
    inTurn: serial,
  })
  const { state, thread } = run
  const move = async () => {
    if (run.isOn()) await run.start()
  }
  const takesDeliveries = () => state().kind === 'listening' || state().kind === 'no-port'

  /** Reads secrets and the token that are not loaded yet. Tries again later while the keychain is locked. */
  async function load(): Promise<void> {
    cancelReload()
    const areSecretsUnread = await secrets.load()
    const isTokenUnread = await relay.load()
    if ((areSecretsUnread || isTokenUnread) && run.isOn())
      cancelReload = clock.after(reloadEveryMs, () => void serial(reload))
  }

  async function reload(): Promise<void> {
    await load()
    await passSecrets()
    await thread()?.setRelay(relay.config())
    changed()
  }

  /** Passes the secrets on. Rejected deliveries that they prove are stored then, and must become events. */
  async function passSecrets(): Promise<void> {
    reading.expectMore()
    try {
      await thread()?.setSecrets(secrets.known(), secrets.isUnreadForNow())
    } finally {
      reading.readStored()
    }
  }

  const place = () => {
    const { address, port, path, allowUnsigned } = settings.read().config
    const otherPaths = settings.otherPaths()
    return { host: address, port, path, allowUnsigned, noPort: relay.isOnlySource(), otherPaths }
  }

  function problem(): AppError | null {
    const now = state()
    if (now.kind === 'failed') return now.error
    if (!takesDeliveries()) return null
    const storing = run.storing()
    if (storing.kind === 'not-storing') return new AppError(storing.code, storing.data)
    return secrets.isUnreadForNow() || secrets.active().length === 0 ? secrets.problem() : null
  }

  function receiving(): 'starting' | 'ready' | 'failed' {
    const { kind } = state()
    if (kind === 'failed' || run.storing().kind === 'not-storing') return 'failed'
    return kind === 'listening' || kind === 'no-port' ? 'ready' : 'starting'
  }

  function status(): ListenerStatus {
    const error = problem()
    const now = state()
    return {
      state: now.kind === 'no-port' ? relay.listening() : now.kind,
      relay: relay.status(),
      url: now.kind === 'listening' ? urlOf(now) : null,
      problem: error && viewOf(error),
      listeningSince: isoTime(now.kind === 'listening' ? now.sinceMs : null),
      ...counts.view(),
      withoutSecret: secrets.active().length === 0,
      secretsNotKnown: secrets.missing().map(({ label }) => label),
      silence: takesDeliveries() ? silence : null,
    }
  }

  /** Where deliveries may be sent to reach this connection. */
  function urls(): (string | null)[] {
    const atPort = relay.isOnlySource() ? [] : [status().url, settings.publicUrl()]
    return [...atPort, relay.webhookUrl()]
  }

  function view(): ListenerView {
    return {
      config: settings.read().config,
      publicBase: parts.listenerPlace.publicBase(),
      publicUrl: relay.isUsed() ? relay.webhookUrl() : settings.publicUrl(),
      secrets: secrets.view(),
      relay: relay.view(),
      status: status(),
    }
  }

  /** Does the work in turn and returns the view after it. */
  const viewAfter = (work: () => Promise<void>): Promise<ListenerView> =>
    serial(async () => {
      await work()
      return view()
    })

  return {
    status,
    view,
    async get(): Promise<ListenerView> {
      await secrets.findUnsaved()
      return view()
    },
    start: (): Promise<void> => serial(() => run.start(load)),
    /** Records `reason` with the gap that begins. */
    stop: (reason?: 'closed' | 'switched' | 'restarted'): Promise<void> =>
      serial(async () => {
        cancelReload()
        await run.stop(reason)
      }),
    /** Called before the machine sleeps: begins a gap. */
    async suspend(): Promise<void> {
      relay.loseTrack()
      await thread()?.suspend()
    },
    /** Called after the machine wakes. */
    wake(): Promise<void> {
      relay.loseTrack()
      return serial(run.wake)
    },
    configure: (config: ListenerConfig): Promise<ListenerView> =>
      viewAfter(async () => {
        if (isIP(config.address) === 0 && config.address !== 'localhost')
          throw new AppError('ADDRESS_UNAVAILABLE', { address: config.address })
        if (settings.otherPaths().includes(config.path))
          throw new AppError('INVALID_INPUT', { detail: { key: 'listener.pathUsed', path: config.path } })
        if (!isLoopbackHost(config.address) && secrets.active().length === 0)
          throw new AppError('WIDE_BIND_NEEDS_SECRET')
        // Keep listening rather than move to a port that is taken.
        const now = state()
        if (now.kind === 'listening' && config.port !== now.port) {
          const detail = await whyNotFree(config.address, config.port, parts.pagePort)
          if (detail !== null)
            throw new AppError('LISTENER_NOT_MOVED', { ...config, detail, url: urlOf(now) })
        }
        settings.write({ ...settings.read(), config })
        await move()
      }),
    /** Moves to the shared address and port, after another connection changed them. */
    follow: (): Promise<ListenerView> =>
      viewAfter(async () => {
        await move()
      }),
    /** Sets where deliveries come from, and tries a refused relay again. */
    setRelay: (order: RelayOrder): Promise<ListenerView> =>
      viewAfter(async () => {
        const wasOnlySource = relay.isOnlySource()
        await relay.set(order)
        await thread()?.setRelay(relay.config())
        if (wasOnlySource !== relay.isOnlySource()) await move()
        changed()
      }),
    retryRelay: (): Promise<ListenerView> =>
      viewAfter(async () => {
        await reload()
        await thread()?.retryRelay()
      }),
    /** Shows with the status that nothing arrives although it should. */
    setSilence(next: Silence | null): void {
      if (next === null && silence === null) return
      silence = next
      changed()
    },
    /** Called once, by the webhooks, which open after the listener. */
    setWebhooks: (webhooks: { inbound: typeof subscription }) => void (subscription = webhooks.inbound),
    /** Called when the webhooks know more. */
    changed,
    /** Whether deliveries to this URL reach it: directly, through the tunnel or through the relay. */
    isAt: (url: string): boolean => urls().includes(url),
    /** Whether this URL is the relay's. */
    isRelay: (url: string): boolean => url === relay.webhookUrl(),
    setPublicBase({ publicBase }: { publicBase: string | null }): ListenerView {
      parts.listenerPlace.setPublicBase(publicBase)
      return view()
    },
    /** A free port near the configured one; null when none is found. */
    async freePort(): Promise<{ port: number | null }> {
      const { address, port } = settings.read().config
      return { port: await nextFreePort(address, port) }
    },
    addSecret: (secret: Parameters<typeof secrets.add>[0]): Promise<ListenerView> =>
      viewAfter(() => secrets.add(secret)),
    removeSecret: (id: string): Promise<ListenerView> => viewAfter(() => secrets.remove(id)),
    secretIdsOf: secrets.idsOf,
    secretIdsLabelled: secrets.idsLabelled,
    isSecretInMemory: secrets.isInMemory,
    deliveriesSignedWith: counts.signedWith,
    lastVerifiedMs: counts.lastVerifiedMs,
    /** Reads secrets again that the keychain could not return. */
    reloadSecrets: (): Promise<void> => serial(reload),
    /** Whether deliveries can be taken; `not-stored` while it listens but answers 503. */
    listening: (): 'yes' | 'no' | 'not-stored' =>
      status().state !== 'listening' ? 'no' : problem() === null ? 'yes' : 'not-stored',
    readsRelay: relay.isUsed,
    /** Why inbound messages can't be read, so that opt-outs may be missed; none while they can. */
    inboundProblems: (): InboundProblem[] =>
      inboundProblems({
        hasReceived: parts.continueAfterSeq() > 0,
        listener: receiving(),
        relay: relay.reading(),
        missingSecrets: secrets.missing().length,
        subscription: subscription(),
        unproven: counts.unproven(),
        isRead: reading.isRead(),
      }),
    /** The relay and its token; null while none can be read. */
    relayConfig: relay.config,
    /** When it first failed to start, and why; null if it never did. */
    firstFailure: settings.firstFailure,
    /** Deletes old deliveries from the journal; null while that is not possible. See `Journal.prune`. */
    prune: async (range: JournalPrune): Promise<{ deleted: number; nextSeq: number | null } | null> =>
      (await thread()?.prune(range)) ?? null,
    /** Empties these deliveries in the journal; null while the listener is stopped. See `Journal.erase`. */
    erase: async (seqs: readonly number[]): Promise<number | null> => (await thread()?.erase(seqs)) ?? null,
    /** Truncates the journal's log; false while a reader blocks it. */
    truncateLog: async (): Promise<boolean> => (await thread()?.truncateLog()) ?? true,
    ...createRefusalViews(thread, secrets, clock),
  }
}
