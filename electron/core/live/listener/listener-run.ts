import { AppError, isAppError } from '../../../contract/errors.ts'
import type {
  JournalLoss,
  ListenerEvents,
  ListenerStart,
  ListenerStarted,
  StoringState,
} from '../../../listener/protocol.ts'
import { urlOf } from './listener-settings.ts'
import { type ListenerThread, type ListenerThreads, repairJournal } from './listener-thread-client.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Interval for retrying a taken port or a crashed thread, always at the same address. */
const retryEveryMs = 2_000

type State =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  | { kind: 'listening'; address: string; port: number; path: string; sinceMs: number }
  /** Deliveries come from the relay only. */
  | { kind: 'no-port' }
  | { kind: 'failed'; error: AppError }

/** News for the owner of a listener. */
export interface ListenerTells {
  journalGrew: (lastSeq: number) => void
  journalLoss: (loss: JournalLoss) => void
  /** The open journal is found damaged, with SQLite's messages. */
  journalDamaged: (problems: string[]) => void
  /** The configured port, at the first start and after each change. */
  port: (port: number) => void
  /** The URL, each time listening starts. */
  listening: (url: string) => void
  change: () => void
}

/**
 * Keeps one listener at its place: starts it, repairs its journal first, retries what fails, moves and stops it. Its calls
 * must not overlap; retries go through `inTurn`.
 */
export function createListenerRun(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    threads: ListenerThreads
    config: () => ListenerStart
    pagePort: number | undefined
    events: Pick<ListenerEvents, 'stats' | 'relay' | 'proxies'>
    tells: ListenerTells
    onBegin: () => void
    onEnd: () => void
    onFailure: (reason: 'port-taken' | 'not-started') => void
    inTurn: (work: () => Promise<void>) => unknown
  },
) {
  const { config, tells, clock, log } = parts
  let state: State = { kind: 'stopped' }
  let thread: ListenerThread | null = null
  let storing: StoringState = { kind: 'storing' }
  let cancelRetry = () => {}
  let reportedPort: number | null = null

  function setState(next: State): void {
    state = next
    tells.change()
  }

  function fail(error: AppError): void {
    parts.onFailure(
      error.code === 'PORT_TAKEN' || error.code === 'PORT_OF_PAGE' ? 'port-taken' : 'not-started',
    )
    setState({ kind: 'failed', error })
    cancelRetry()
    cancelRetry = clock.after(retryEveryMs, () => parts.inTurn(bringUp))
  }

  function take(started: ListenerStarted): void {
    if (started.kind === 'damaged')
      return fail(new AppError('LISTENER_FAILED', { detail: { key: 'listener.notStarted' } }))
    if (started.kind === 'refused') {
      const isOwnPage = started.code === 'PORT_TAKEN' && started.data['port'] === parts.pagePort
      return fail(new AppError(isOwnPage ? 'PORT_OF_PAGE' : started.code, started.data))
    }
    if (started.journalLoss) tells.journalLoss(started.journalLoss)
    if (started.kind === 'listening') {
      const { address, port, path, sinceMs } = started
      setState({ kind: 'listening', address, port, path, sinceMs })
      tells.listening(urlOf(started))
    } else setState({ kind: 'no-port' })
    tells.journalGrew(started.lastSeq)
  }

  /** Starts, and repairs a damaged journal first. */
  async function withRepair(start: () => Promise<ListenerStarted>): Promise<ListenerStarted> {
    const started = await start()
    if (started.kind !== 'damaged') return started
    const { journalFile, continueAfterSeq = 0 } = config()
    const loss = await repairJournal({ journalFile, continueAfterSeq }, log)
    if (loss) tells.journalLoss(loss)
    return start()
  }

  function connect(): ListenerThread {
    const events: ListenerEvents = {
      ...parts.events,
      journalGrew: tells.journalGrew,
      journalDamaged: tells.journalDamaged,
      storing(value) {
        storing = value
        tells.change()
      },
      log: (level, message, data) => log[level](message, data),
    }
    const starting = parts.threads.connect(events, (error) => {
      if (thread !== starting) return
      thread = null
      storing = { kind: 'storing' }
      parts.onEnd()
      if (state.kind !== 'stopped') fail(error)
    })
    parts.onBegin()
    return starting
  }

  /** Starts the thread if needed, else retries the configured address. */
  async function bringUp(): Promise<void> {
    if (state.kind !== 'starting' && state.kind !== 'failed') return
    const { port } = config()
    if (port !== reportedPort) tells.port(port)
    reportedPort = port
    try {
      const current = thread
      const ready = current ?? (thread = connect())
      take(await withRepair(() => (current ? ready.reconfigure(config()) : ready.start(config()))))
    } catch (error) {
      log.error('Could not start the listener', { error })
      const detail = { key: 'listener.notStarted' } as const
      fail(isAppError(error) ? error : new AppError('LISTENER_FAILED', { detail }))
    }
  }

  async function start(prepare?: () => Promise<void>): Promise<void> {
    setState({ kind: 'starting' })
    cancelRetry()
    await prepare?.()
    await bringUp()
  }

  return {
    state: () => state,
    storing: () => storing,
    thread: () => thread,
    isOn: () => state.kind !== 'stopped',
    /** Starts it after `prepare`, or moves it to its new place. */
    start,
    /** Records `reason` with the gap that begins. */
    async stop(reason?: 'closed' | 'switched' | 'restarted'): Promise<void> {
      cancelRetry()
      const stopping = thread
      thread = null
      setState({ kind: 'stopped' })
      await stopping?.stop(reason)
      parts.onEnd()
    },
    /** Ends the gap of a sleep if deliveries can arrive, or starts listening again. */
    async wake(): Promise<void> {
      const woken = await thread?.wake()
      if (woken) return take(woken)
      cancelRetry()
      await bringUp()
    },
  }
}
