import { type ClientLink, createORPCClient, ORPCError } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import type { ErrorView } from '#contract/define.ts'
import type { Contract } from '#contract/contract.ts'
import { tryOnScopeDispose } from '@vueuse/core'
import { type InjectionKey, type Ref, type ShallowRef, inject, shallowRef, watch } from 'vue'
import { DisconnectedError, errorView, toErrorView } from './error-view.ts'

/** Every procedure of the contract, typed. */
export type Client = ContractRouterClient<Contract>

/** The connection that a call is for; without one it is for the connection in front. */
export interface CallContext {
  connectionId?: string | null
}

type Link = ClientLink<CallContext>

export interface Transport {
  link: Link
  isOpen(): boolean
  /** Settles when the connection ends. */
  closed: Promise<void>
  close(): void
}

/** A transport rejects with this when the host wants this window to sign in again. */
export class AccessDeniedError extends Error {
  override readonly name = 'AccessDeniedError'
}

/** `denied` is final: the window needs a new address from the host. The other states alternate. */
export type RpcState = 'connecting' | 'open' | 'reconnecting' | 'denied'

export interface StreamHandlers<T> {
  onItem(item: T): void
  /** The stream broke; it is reopened automatically. */
  onLost?(error: ErrorView): void
  /** Stays open while the window is hidden. */
  whileHidden?: boolean
}

/** The window’s connection to the core. */
export interface Rpc {
  /** Its calls go to the connection that the window shows, or to the one of `of`. */
  client: Client
  state: Readonly<ShallowRef<RpcState>>
  /**
   * Reads a stream, and reopens it after a break: `open` is called each time, so it can continue from the last sequence number. Closed
   * while the window is hidden, so that the core does no work for it. Ends with the calling component; returns its stop.
   */
  subscribe<T>(
    open: (client: Client, signal: AbortSignal) => Promise<AsyncIterable<T>>,
    handlers: StreamHandlers<T>,
  ): () => void
  /**
   * The same for one connection: a page bound to it can neither read nor change another one, also when the core has
   * another in front.
   */
  of(connectionId: string | null): Rpc
  /** Names the connection that the window shows. */
  show(connectionId: string | null): void
  close(): void
}

interface RpcOptions {
  /** Opens a connection to the core; rejects with `AccessDeniedError` when the host refuses this window. */
  openTransport(): Promise<Transport>
  /** Resolves after `delayMs`, or at once when aborted. */
  sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>
  /** A number from 0 to 1, for the jitter. */
  random?: () => number
  hidden?: Readonly<Ref<boolean>>
}

/** Longest delay between attempts to reach the core, milliseconds. The core is on this computer, so short is cheap. */
const longestPauseMs = 3_000
const firstPauseMs = 150
/** How long a call waits for a lost connection before it fails with DISCONNECTED, milliseconds. */
const callPatienceMs = 4_000

/**
 * Keeps one transport open and gives out a typed client over it. A sent call is never sent twice: if the connection breaks, it fails with
 * DISCONNECTED. A call made while disconnected waits a few seconds.
 */
export function createRpc({
  openTransport,
  sleep = sleepFor,
  random = Math.random,
  hidden = shallowRef(false),
}: RpcOptions): Rpc {
  const state = shallowRef<RpcState>('connecting')
  const closing = new AbortController()
  let current: Transport | undefined

  const link: Link = {
    async call(path, input, options) {
      const transport = current ?? (await nextTransport(options.signal))
      try {
        return await transport.link.call(path, input, options)
      } catch (cause) {
        if (cause instanceof ORPCError || transport.isOpen()) throw cause
        throw new DisconnectedError('The transport closed before the answer.', { cause })
      }
    },
  }
  let shownId: string | null = null
  const clientOf = (connectionId: () => string | null): Client =>
    createORPCClient({
      call: (path, input, options) =>
        link.call(path, input, { ...options, context: { connectionId: connectionId() } }),
    } satisfies Link)
  const client = clientOf(() => shownId)
  void keepOpen()

  async function keepOpen(): Promise<void> {
    let attempt = 0
    while (!closing.signal.aborted) {
      try {
        const transport = await openTransport()
        if (closing.signal.aborted) return transport.close()
        attempt = 0
        current = transport
        state.value = 'open'
        await transport.closed
      } catch (cause) {
        if (cause instanceof AccessDeniedError) {
          state.value = 'denied'
          return
        }
      }
      current = undefined
      if (closing.signal.aborted) return
      if (state.value === 'open') state.value = 'reconnecting'
      await sleep(pauseMs(attempt++, random), closing.signal)
    }
  }

  async function nextTransport(signal: AbortSignal | undefined): Promise<Transport> {
    const waiting = new AbortController()
    const stop = AbortSignal.any([waiting.signal, closing.signal, ...(signal ? [signal] : [])])
    try {
      await Promise.race([opened(stop), sleep(callPatienceMs, stop)])
    } finally {
      waiting.abort()
    }
    if (!current) throw new DisconnectedError('No transport.')
    return current
  }

  /** Resolves when the state is `open`, or can no longer become so. */
  const opened = (signal: AbortSignal) =>
    when(() => state.value === 'open' || state.value === 'denied', signal)

  /** Resolves when `holds` does, or when aborted. */
  function when(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const unwatch = watch(holds, settle, { flush: 'sync' })
      signal.addEventListener('abort', done, { once: true })
      settle(holds())
      function settle(holdsNow: boolean) {
        if (holdsNow || signal.aborted) done()
      }
      function done() {
        unwatch()
        resolve()
      }
    })
  }

  function subscribe<T>(
    client: Client,
    open: (client: Client, signal: AbortSignal) => Promise<AsyncIterable<T>>,
    handlers: StreamHandlers<T>,
  ): () => void {
    const stopping = new AbortController()
    const { signal } = stopping
    const isPaused = () => hidden.value && !handlers.whileHidden
    const stop = () => stopping.abort()
    tryOnScopeDispose(stop)
    void read()
    return stop

    async function read(): Promise<void> {
      let attempt = 0
      while (!signal.aborted && !closing.signal.aborted && state.value !== 'denied') {
        const ending = AbortSignal.any([signal, closing.signal])
        await when(() => !isPaused(), ending)
        await opened(ending)
        if (signal.aborted) return
        const pausing = new AbortController()
        const unwatch = watch(isPaused, (now) => now && pausing.abort(), { flush: 'sync', immediate: true })
        const reading = AbortSignal.any([signal, pausing.signal])
        try {
          if (!reading.aborted)
            for await (const item of await open(client, reading)) {
              if (reading.aborted) break
              attempt = 0
              deliver(item)
            }
        } catch (cause) {
          if (!reading.aborted)
            handlers.onLost?.(cause instanceof ORPCError ? toErrorView(cause) : errorView('DISCONNECTED'))
        } finally {
          unwatch()
        }
        if (!reading.aborted) await sleep(pauseMs(attempt++, random), signal)
      }
    }

    /** An error of the reader must not look like a broken stream, which would be reopened. */
    function deliver(item: T): void {
      try {
        handlers.onItem(item)
      } catch (cause) {
        reportError(cause)
      }
    }
  }

  const rpcOver = (client: Client): Rpc => ({
    client,
    state,
    subscribe: (open, handlers) => subscribe(client, open, handlers),
    of: (connectionId) => (connectionId === null ? rpcOver(client) : rpcOver(clientOf(() => connectionId))),
    show: (connectionId) => (shownId = connectionId),
    close() {
      closing.abort()
      current?.close()
    },
  })
  return rpcOver(client)
}

function pauseMs(attempt: number, random: () => number): number {
  const ceilingMs = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt)
  return ceilingMs * (0.5 + random() / 2)
}

/** Resolves after `delayMs`, or when aborted. */
export function sleepFor(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(done, delayMs)
    signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}

/** Where the app provides its `Rpc`. */
export const rpcKey: InjectionKey<Rpc> = Symbol('rpc')

/** The window’s connection to the core. For components and setup stores. */
export function useRpc(): Rpc {
  const rpc = inject(rpcKey)
  if (!rpc) throw new Error('No Rpc was provided to the app.')
  return rpc
}
