import { MessageChannel } from 'node:worker_threads'
import type { CoreConfig } from '../core/create-core.ts'
import type { HostRequest } from '../core/connection/desktop/desktop.service.ts'
import type { Ports } from '../core/ports.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type OwnThread, startThread } from '../threads/own-thread.ts'
import type { CoreCalls, CoreStart, CoreThreadData, HostCalls } from './core-bridge.ts'

const pingPeriodMs = 5_000
/** A core that used this much processor time without an answer is stuck: far above its longest step. */
const stuckMs = 30_000
/** A second crash within this time is final: the cause is likely permanent. */
const restartSpanMs = 600_000
/** One that answers nothing but uses no processor time waits, as for a disk. Its restart is never final. */
const blockedMs = restartSpanMs + 60_000
/** A tick this late means that this process was suspended or got no processor time, and so did the core. */
const lateMs = 1_000

/** Processor time of this process, milliseconds. A stuck thread can't tell its own. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * Calls `onStall` once when the core answers no `ping` although it had the processor for 30 s, or for 11 min if it uses none. A core that is
 * suspended or starved is not stuck. Returns its stop.
 */
export function watchForStall(
  ping: () => Promise<unknown>,
  clock: Clock,
  onStall: () => void,
  usedMs = processorMs,
): () => void {
  /** Of the ping without an answer. */
  let since: { usedMs: number; periods: number; onTime: number } | null = null
  let lastMs = clock.monotonic()
  const stop = clock.every(pingPeriodMs, () => {
    const nowMs = clock.monotonic()
    const isLate = nowMs - lastMs > pingPeriodMs + lateMs
    lastMs = nowMs
    if (since === null) {
      since = { usedMs: usedMs(), periods: 0, onTime: 0 }
      ping().then(
        () => (since = null),
        () => stop(),
      )
      return
    }
    since.periods++
    if (!isLate) since.onTime++
    const isStuck = since.periods * pingPeriodMs >= stuckMs && usedMs() - since.usedMs >= stuckMs
    if (!isStuck && since.onTime * pingPeriodMs < blockedMs) return
    stop()
    onStall()
  })
  return stop
}

/**
 * Heap of the core thread, MiB. The young generation is raised from Node's 16 because bursts of events make
 * much short-lived garbage. Beyond the limit the thread ends with ERR_WORKER_OUT_OF_MEMORY and restarts; the
 * host survives.
 */
const heapLimits = { maxOldGenerationSizeMb: 2_048, maxYoungGenerationSizeMb: 64 }
/** Time for the core to close its databases. Acknowledged data is already durable. */
const defaultStopDeadlineMs = 8_000
/** Time for a terminated thread to end. It can't while it is inside SQLite. */
const endWaitMs = 5_000

/** The core thread ended unexpectedly, or could not restart. */
export interface CoreCrash {
  /** Why the thread ended, or the core's AppError when it refused to restart. Redact before showing. */
  error: Error
  /** False when it restarted; its renderers reconnect. */
  isFinal: boolean
}

export type CoreThread = ReturnType<typeof startCoreThread>

/** One run of the thread. */
interface Life extends OwnThread<CoreCalls> {
  /** Starts the stall watch. */
  watch(): void
}

/** The core thread stopped answering, so the host ended it. */
class CoreStalledError extends Error {
  override readonly name = 'CoreStalledError'
}

/**
 * Runs the core in its own thread and answers its calls to the ports. A crash is followed by one restart with
 * the last connection; a second crash within ten minutes is final. A stalled core counts as crashed. If its thread can't be ended either,
 * `restartProcess` must replace the process. `entry`, `pingClock` and `usedMs` are for tests.
 */
export function startCoreThread(options: {
  ports: Ports
  config: CoreConfig
  log: Log
  entry?: URL
  clock?: Clock
  pingClock?: Clock
  usedMs?: () => number
  stopDeadlineMs?: number
  /** This process replaces one whose core was stuck a moment ago. */
  stalledBefore?: boolean
  restartProcess?: () => void
  resourceLimits?: { maxOldGenerationSizeMb?: number; maxYoungGenerationSizeMb?: number }
}) {
  const { ports, log, clock = systemClock, entry = 'core-thread' } = options
  const crashCallbacks = new Set<(crash: CoreCrash) => void>()
  const { stalledBefore = false, restartProcess = () => {} } = options
  let config: CoreConfig = stalledBefore ? { ...options.config, restartAfter: 'stall' } : options.config
  let lastCrashMs = stalledBefore ? clock.monotonic() : -Infinity
  let life: Life | null = null
  let wasReady = false
  let stopping: Promise<void> | null = null

  function launch(): Life {
    const data: CoreThreadData = { config, dataDir: ports.dataDir, capabilities: ports.capabilities }
    const thread = startThread<CoreCalls, HostCalls>(entry, hostCalls(ports), {
      name: 'core',
      workerData: data,
      limits: { ...heapLimits, ...options.resourceLimits },
    })
    let stall: Error | null = null
    // Checking large databases can take long, so watch only once the core is up.
    let stopWatching = () => {}
    const watch = () => {
      stopWatching = watchForStall(
        () => thread.calls.ping(),
        options.pingClock ?? systemClock,
        () => {
          const error = (stall = new CoreStalledError('The core did not respond'))
          log.error('The core stalled; ending its thread', { error })
          void terminated(thread).then((isOver) => {
            if (!isOver && stopping === null) replaceProcess(error)
          })
        },
        options.usedMs,
      )
    }
    const self = { ...thread, watch }
    void thread.ended.then((cause) => {
      stopWatching()
      if (life !== self) return
      life = null
      if (stopping === null) recover(stall ?? cause ?? new Error('The core thread ended'))
    })
    return self
  }

  /** Ends a thread. False when it is still running after the wait. */
  async function terminated(thread: OwnThread<CoreCalls>): Promise<boolean> {
    const waiting = new AbortController()
    const isOver = await Promise.race([
      thread.end().then(() => true),
      clock.sleep(endWaitMs, waiting.signal).then(() => false),
    ])
    waiting.abort()
    return isOver
  }

  /** Counts a crash. True when it is the second one within the span. */
  function isSecondCrash(): boolean {
    const nowMs = clock.monotonic()
    const isSecond = nowMs - lastCrashMs < restartSpanMs
    lastCrashMs = nowMs
    return isSecond
  }

  function replaceProcess(error: Error): void {
    const isFinal = isSecondCrash()
    log.error(`The core thread can’t be ended${isFinal ? ' again' : '; restarting the process'}`, { error })
    if (!isFinal) return restartProcess()
    ready.reject(error)
    notify({ error, isFinal })
  }

  function recover(error: Error): void {
    const isFinal = isSecondCrash()
    const isStall = error instanceof CoreStalledError
    const what = isStall ? 'The core stalled' : 'The core crashed'
    log.error(isFinal ? `${what} again` : `${what}; restarting`, { error })
    if (isFinal) ready.reject(error)
    else {
      // The operator may have moved on from the command line's connection; an unattended console has not.
      const startWith = config.startWith.kind === 'unattended' ? config.startWith : { kind: 'last' as const }
      config = { ...config, startWith, restartAfter: isStall ? 'stall' : 'crash' }
      begin()
    }
    notify({ error, isFinal })
  }

  function notify(crash: CoreCrash): void {
    for (const callback of crashCallbacks) callback(crash)
  }

  const ready = Promise.withResolvers<CoreStart>()
  // Otherwise a host that stops early would end by an unhandled rejection.
  ready.promise.catch(() => {})

  /**
   * Starts a run. Its start settles `ready`, unless the run ended first: then the next start or the last crash does.
   * A refused restart leaves nothing to answer pages, so it ends the thread as a final crash.
   */
  function begin(): void {
    const mine = launch()
    life = mine
    mine.calls.start().then(
      (answer) => {
        wasReady = true
        mine.watch()
        ready.resolve(answer)
      },
      (error: unknown) => {
        if (life !== mine) return
        if (!wasReady) return ready.reject(error)
        if (stopping !== null) return
        log.error('The core could not restart', { error })
        stopping = end()
        notify({ error: error as Error, isFinal: true })
      },
    )
  }
  begin()

  async function end(): Promise<void> {
    const mine = life
    if (!mine) return
    const deadline = new AbortController()
    try {
      await Promise.race([
        mine.calls.stop(),
        clock.sleep(options.stopDeadlineMs ?? defaultStopDeadlineMs, deadline.signal).then(() => {
          throw new Error('The core did not stop in time')
        }),
      ])
    } catch (error) {
      log.warn('The core was terminated; acknowledged data is kept', { error })
    } finally {
      deadline.abort()
    }
    if (!(await terminated(mine))) log.error('The core thread can’t be ended')
    ready.reject(new Error('The core was stopped'))
  }

  return {
    /** The first start's answer. Rejects with the core's AppError, or when the thread crashed twice during start. */
    ready: ready.promise,
    /** A new port to the core, for one window or socket. It closes when the core ends; ask for another then. */
    connect() {
      const { port1: host, port2: port } = new MessageChannel()
      if (life && stopping === null) life.hand({ port })
      else port.close()
      return host
    },
    /** Asks the page to show something. Lost, with a log line, while the core is down. */
    ask(request: HostRequest): void {
      life?.calls
        .ask(request)
        .catch((error: unknown) => log.warn('Lost a request from the desktop', { error }))
    },
    /** Called after a crash, a stall or a failed restart. Returns the unsubscribe. */
    onCrash(callback: (crash: CoreCrash) => void): () => void {
      crashCallbacks.add(callback)
      return () => void crashCallbacks.delete(callback)
    },
    /** The machine is about to sleep, or awake. */
    power(event: 'suspend' | 'wake'): void {
      life?.calls[event]().catch((error: unknown) =>
        log.warn('The core failed to resume after sleep', { event, error }),
      )
    },
    /** Whether its thread exists: after `stop` it is stuck, and `process.exit` would wait for it. */
    isRunning: () => life !== null,
    /** Stops the core and ends the thread, by force after the deadline. Never rejects. */
    stop: () => (stopping ??= end()),
  }
}

function hostCalls(ports: Ports): HostCalls {
  const { secrets, openSandbox, openExternal, notify, resolveProxies, saveFile, log } = ports
  const others = { openSandbox, openExternal, notify, resolveProxies, saveFile, log }
  return { ...secrets, ...others, listening: (url) => ports.listening?.(url) }
}
