import { isIP } from 'node:net'
import type { Connection } from '../../../contract/connection/connections.ts'
import type {
  ListenerConfig,
  ListenerSecret,
  ListenerStatus,
  RelayOrder,
  RelaySettings,
  Silence,
} from '../../../contract/live/listener.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import { createSerial } from '../../../lib/serial.ts'
import type {
  JournalLoss,
  JournalPrune,
  ListenerEvents,
  ListenerStarted,
  StoringState,
} from '../../../listener/protocol.ts'
import type { SecretStore } from '../../ports.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import { nextFreePort, whyNotFree } from './free-port.ts'
import { createListenerCounts } from './listener-counts.ts'
import { createListenerSettings, type ListenerPlace, urlOf } from './listener-settings.ts'
import { createRefusalViews } from './refusal-views.ts'
import { createRelayLink } from './relay-link.ts'
import { createSigningSecrets } from './signing-secrets.ts'
import { type ListenerThread, type ListenerThreads, repairJournal } from './listener-thread-client.ts'

/** Interval for retrying a taken port or a crashed thread, always at the same address. */
const retryEveryMs = 2_000
/** Interval for reading secrets again while the keychain is locked. Each try takes the keychain process up to 3 s. */
const reloadEveryMs = 10_000

export interface ListenerView {
  config: ListenerConfig
  publicBase: string | null
  publicUrl: string | null
  secrets: ListenerSecret[]
  relay: RelaySettings
  status: ListenerStatus
}

export type ListenerService = ReturnType<typeof createListenerService>

interface Parts {
  connection: () => Pick<Connection, 'id' | 'name'>
  journalFile: string
  settings: SettingsRepository
  secrets: SecretStore
  clock: Clock
  log: Log
  /** Secrets from the start configuration. Never saved or listed. */
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
  onJournalGrew: (lastSeq: number) => void
  onJournalLoss: (loss: JournalLoss) => void
  /** Called when the open journal is found damaged, with SQLite's messages. */
  onJournalDamaged: (problems: string[]) => void
  /** Called with the configured port at the first start and after each change. */
  onPort: (port: number) => void
  /** Called with the URL each time listening starts. */
  onListening: (url: string) => void
  onChange: () => void
}

type State =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  | { kind: 'listening'; address: string; port: number; path: string; sinceMs: number }
  /** Deliveries come from the relay only. */
  | { kind: 'no-port' }
  | { kind: 'failed'; error: AppError }

/** The webhook listener of one connection: its address, secrets and state. */
export function createListenerService(parts: Parts) {
  const { clock, log } = parts
  const { id: connectionId } = parts.connection()
  const settings = createListenerSettings(parts.settings, parts.connection(), parts.listenerPlace)
  const serial = createSerial()
  const secrets = createSigningSecrets({
    ...parts,
    connectionId,
    settings,
    async onChange() {
      await passSecrets()
      parts.onChange()
    },
  })
  const relay = createRelayLink({ ...parts, connectionId, settings })
  let state: State = { kind: 'stopped' }
  let thread: ListenerThread | null = null
  const counts = createListenerCounts(clock)
  let enabled = false
  let cancelRetry = () => {}
  let reportedPort: number | null = null
  let cancelReload = () => {}
  let storing: StoringState = { kind: 'storing' }
  let silence: Silence | null = null

  const setState = (next: State) => {
    state = next
    parts.onChange()
  }

  /** Reads secrets and the token that are not loaded yet. Tries again later while the keychain is locked. */
  async function load(): Promise<void> {
    cancelReload()
    const areSecretsUnread = await secrets.load()
    const isTokenUnread = await relay.load()
    if ((areSecretsUnread || isTokenUnread) && enabled)
      cancelReload = clock.after(reloadEveryMs, () => void serial(reload))
  }

  async function reload(): Promise<void> {
    await load()
    await passSecrets()
    await thread?.setRelay(relay.config())
    parts.onChange()
  }

  const passSecrets = async () => thread?.setSecrets(secrets.known(), secrets.isUnreadForNow())

  const place = () => {
    const { address, port, path, allowUnsigned } = settings.read().config
    const otherPaths = settings.otherPaths()
    return { host: address, port, path, allowUnsigned, noPort: relay.isOnlySource(), otherPaths }
  }

  function take(started: ListenerStarted): void {
    if (started.kind === 'listening' || started.kind === 'no-port') {
      if (started.journalLoss) parts.onJournalLoss(started.journalLoss)
      if (started.kind === 'listening') {
        const { address, port, path, sinceMs } = started
        setState({ kind: 'listening', address, port, path, sinceMs })
        parts.onListening(urlOf(started))
      } else setState({ kind: 'no-port' })
      parts.onJournalGrew(started.lastSeq)
      return
    }
    if (started.kind === 'damaged')
      return fail(new AppError('LISTENER_FAILED', { detail: { key: 'listener.notStarted' } }))
    const { pagePort } = parts
    const isOwnPage = started.code === 'PORT_TAKEN' && started.data['port'] === pagePort
    fail(new AppError(isOwnPage ? 'PORT_OF_PAGE' : started.code, started.data))
  }

  /** Starts, and repairs a damaged journal first. */
  async function withRepair(start: () => Promise<ListenerStarted>): Promise<ListenerStarted> {
    const started = await start()
    if (started.kind !== 'damaged') return started
    const { journalFile } = parts
    const loss = await repairJournal({ journalFile, continueAfterSeq: parts.continueAfterSeq() }, log)
    if (loss) parts.onJournalLoss(loss)
    return start()
  }

  function fail(error: AppError): void {
    settings.noteFailure({
      atMs: clock.now(),
      reason: error.code === 'PORT_TAKEN' || error.code === 'PORT_OF_PAGE' ? 'port-taken' : 'not-started',
    })
    setState({ kind: 'failed', error })
    retryLater()
  }

  function retryLater(): void {
    cancelRetry()
    if (enabled) cancelRetry = clock.after(retryEveryMs, () => void serial(bringUp))
  }

  /** Starts the thread if needed, else retries the configured address. */
  async function bringUp(): Promise<void> {
    if (!enabled || state.kind === 'listening' || state.kind === 'no-port') return
    const { port } = place()
    if (port !== reportedPort) parts.onPort(port)
    reportedPort = port
    try {
      const current = thread
      if (current) return take(await withRepair(() => current.reconfigure(place())))
      const events: ListenerEvents = {
        journalGrew: parts.onJournalGrew,
        stats(value) {
          counts.report(value)
          parts.onChange()
        },
        journalDamaged: parts.onJournalDamaged,
        storing(value) {
          storing = value
          parts.onChange()
        },
        relay(status) {
          relay.report(status)
          parts.onChange()
        },
        proxies: parts.resolveProxies,
        log: (level, message, data) => log[level](message, data),
      }
      const starting = parts.listenerThreads.connect(events, (error) => {
        if (thread !== starting) return
        thread = null
        storing = { kind: 'storing' }
        counts.ended()
        relay.ended()
        if (enabled) fail(error)
      })
      thread = starting
      counts.begin()
      take(
        await withRepair(() =>
          starting.start({
            ...place(),
            journalFile: parts.journalFile,
            leaveDamaged: true,
            secrets: secrets.known(),
            secretsUnread: secrets.isUnreadForNow(),
            relay: relay.config(),
            continueAfterSeq: parts.continueAfterSeq(),
          }),
        ),
      )
    } catch (error) {
      log.error('Could not start the listener', { error })
      fail(
        isAppError(error)
          ? error
          : new AppError('LISTENER_FAILED', { detail: { key: 'listener.notStarted' } }),
      )
    }
  }

  async function move(): Promise<void> {
    setState({ kind: 'starting' })
    cancelRetry()
    await bringUp()
  }

  function problem(): AppError | null {
    if (state.kind === 'failed') return state.error
    if (state.kind !== 'listening' && state.kind !== 'no-port') return null
    if (storing.kind === 'not-storing') return new AppError(storing.code, storing.data)
    return secrets.isUnreadForNow() || secrets.active().length === 0 ? secrets.problem() : null
  }

  function status(): ListenerStatus {
    const error = problem()
    const fromRelay = relay.status()
    return {
      state: state.kind === 'no-port' ? relay.listening() : state.kind,
      relay: fromRelay,
      url: state.kind === 'listening' ? urlOf(state) : null,
      problem: error && viewOf(error),
      listeningSince: isoTime(state.kind === 'listening' ? state.sinceMs : null),
      ...counts.view(),
      withoutSecret: secrets.active().length === 0,
      secretsNotKnown: secrets.missing().length,
      silence: state.kind === 'listening' || state.kind === 'no-port' ? silence : null,
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
    start: (): Promise<void> =>
      serial(async () => {
        enabled = true
        setState({ kind: 'starting' })
        await load()
        await bringUp()
      }),
    /** Records `reason` with the gap that begins. */
    stop: (reason?: 'closed' | 'switched' | 'restarted'): Promise<void> =>
      serial(async () => {
        enabled = false
        cancelRetry()
        cancelReload()
        const stopping = thread
        thread = null
        await stopping?.stop(reason)
        relay.ended()
        setState({ kind: 'stopped' })
      }),
    /** Called before the machine sleeps: begins a gap. */
    suspend: async (): Promise<void> => thread?.suspend(),
    /** Called after the machine wakes: ends the gap if deliveries can arrive, or starts listening again. */
    wake: (): Promise<void> =>
      serial(async () => {
        const woken = await thread?.wake()
        if (woken) return take(woken)
        cancelRetry()
        await bringUp()
      }),
    configure: (config: ListenerConfig): Promise<ListenerView> =>
      viewAfter(async () => {
        if (isIP(config.address) === 0 && config.address !== 'localhost')
          throw new AppError('ADDRESS_UNAVAILABLE', { address: config.address })
        if (settings.otherPaths().includes(config.path))
          throw new AppError('INVALID_INPUT', { detail: { key: 'listener.pathUsed', path: config.path } })
        if (!isLoopbackHost(config.address) && secrets.active().length === 0)
          throw new AppError('WIDE_BIND_NEEDS_SECRET')
        // Keep listening rather than move to a port that is taken.
        if (state.kind === 'listening' && config.port !== state.port) {
          const detail = await whyNotFree(config.address, config.port, parts.pagePort)
          if (detail !== null)
            throw new AppError('LISTENER_NOT_MOVED', { ...config, detail, url: urlOf(state) })
        }
        settings.write({ ...settings.read(), config })
        await move()
      }),
    /** Moves to the shared address and port, after another connection changed them. */
    follow: (): Promise<ListenerView> =>
      viewAfter(async () => {
        if (enabled) await move()
      }),
    /** Sets where deliveries come from, and tries a refused relay again. */
    setRelay: (order: RelayOrder): Promise<ListenerView> =>
      viewAfter(async () => {
        const wasOnlySource = relay.isOnlySource()
        await relay.set(order)
        await thread?.setRelay(relay.config())
        if (enabled && wasOnlySource !== relay.isOnlySource()) await move()
        parts.onChange()
      }),
    retryRelay: (): Promise<ListenerView> =>
      viewAfter(async () => {
        await reload()
        await thread?.retryRelay()
      }),
    /** Shows with the status that nothing arrives although it should. */
    setSilence(next: Silence | null): void {
      if (next === null && silence === null) return
      silence = next
      parts.onChange()
    },
    /** Whether deliveries to this URL reach it: directly, through the tunnel or through the relay. */
    isAt: (url: string): boolean => urls().includes(url),
    /** Whether this URL is the relay's. */
    isRelay: (url: string): boolean => url === relay.webhookUrl(),
    setPublicBase(base: string | null): ListenerView {
      parts.listenerPlace.setPublicBase(base)
      return view()
    },
    /** A free port near the configured one; null when none is found. */
    freePort(): Promise<number | null> {
      const { address, port } = settings.read().config
      return nextFreePort(address, port)
    },
    addSecret: (secret: Parameters<typeof secrets.add>[0]): Promise<ListenerView> =>
      viewAfter(() => secrets.add(secret)),
    removeSecret: (id: string): Promise<ListenerView> => viewAfter(() => secrets.remove(id)),
    secretIdsOf: secrets.idsOf,
    secretIdsLabelled: secrets.idsLabelled,
    isSecretInMemory: secrets.isInMemory,
    deliveriesSignedWith: counts.signedWith,
    /** Reads secrets again that the keychain could not return. */
    reloadSecrets: (): Promise<void> => serial(reload),
    /** Whether deliveries can be taken; `not-stored` while it listens but answers 503. */
    listening: (): 'yes' | 'no' | 'not-stored' =>
      status().state !== 'listening' ? 'no' : problem() === null ? 'yes' : 'not-stored',
    readsRelay: relay.isUsed,
    /** When it first failed to start, and why; null if it never did. */
    firstFailure: settings.firstFailure,
    /** Deletes old deliveries from the journal; null while that is not possible. See `Journal.prune`. */
    prune: async (range: JournalPrune): Promise<{ deleted: number; nextSeq: number | null } | null> =>
      (await thread?.prune(range)) ?? null,
    /** Empties these deliveries in the journal; null while the listener is stopped. See `Journal.erase`. */
    erase: async (seqs: readonly number[]): Promise<number | null> => (await thread?.erase(seqs)) ?? null,
    /** Truncates the journal's log; false while a reader blocks it. */
    truncateLog: async (): Promise<boolean> => (await thread?.truncateLog()) ?? true,
    ...createRefusalViews(() => thread, secrets),
  }
}
