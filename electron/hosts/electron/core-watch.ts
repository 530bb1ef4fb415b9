import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '../../contract/contract.ts'
import type { DesktopState } from '../../contract/desktop.ts'
import type { Status } from '../../contract/status.ts'
import { wireTypes } from '../../contract/wire-types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { CorePort } from '../core-port.ts'

/** Delay before reconnecting to a lost core. */
const againMs = 2_000
/** How long a closing window waits for the core's state. */
const patienceMs = 1_000

type Client = ContractRouterClient<Contract>

/** The host's view of the core, over a port like a page's. */
export interface CoreWatch {
  /** The current state; the last known one when the core does not answer in time, null for none. */
  state(): Promise<DesktopState | null>
  /** Called with each new value; null when the core is lost. */
  onStatus(callback: (status: Status | null) => void): void
  onState(callback: (state: DesktopState | null) => void): void
  /** Pauses or resumes the outbox. Logs a refusal. */
  setSending(sending: 'on' | 'paused'): void
  stop(): void
}

/**
 * Follows the core's status and desktop state over a port like a page's. Reconnects after the core is lost.
 */
export function watchCore(parts: { connect: () => CorePort; clock: Clock; log: Log }): CoreWatch {
  const stopping = new AbortController()
  const statusCallbacks = new Set<(status: Status | null) => void>()
  const stateCallbacks = new Set<(state: DesktopState | null) => void>()
  let state: DesktopState | null = null
  let client: Client | null = null

  const tellStatus = (status: Status | null) => statusCallbacks.forEach((callback) => callback(status))
  function tellState(next: DesktopState | null): void {
    state = next
    for (const callback of stateCallbacks) callback(next)
  }

  async function follow(): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      const { port } = parts.connect()
      const lost = new AbortController()
      port.once('close', () => lost.abort())
      const rpc: Client = createORPCClient(new RPCLink({ port, customJsonSerializers: wireTypes }))
      client = rpc
      port.start()
      const either = AbortSignal.any([signal, lost.signal])
      const read = async <T>(open: Promise<AsyncIterable<T>>, tell: (item: T) => void) => {
        for await (const item of await open) if (!signal.aborted) tell(item)
      }
      // If one stream ends, the core is lost; the host logs why.
      await Promise.race([
        read(rpc.status.watch(undefined, { signal: either }), tellStatus),
        read(rpc.desktop.state(undefined, { signal: either }), tellState),
      ]).catch(() => {})
      client = null
      port.close()
      if (signal.aborted) return
      tellStatus(null)
      tellState(null)
      await parts.clock.sleep(againMs, signal).catch(() => {})
    }
  }
  void follow()

  return {
    async state() {
      try {
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(patienceMs)])
        for await (const now of await client!.desktop.state(undefined, { signal })) return now
      } catch {
        // Closing must work even if the core crashed or hangs.
      }
      return state
    },
    onStatus: (callback) => void statusCallbacks.add(callback),
    onState: (callback) => void stateCallbacks.add(callback),
    setSending(sending) {
      const asked = sending === 'on' ? client?.outbox.resume() : client?.outbox.pause()
      asked?.catch((error: unknown) => parts.log.warn('the outbox could not be changed', { sending, error }))
    },
    stop: () => stopping.abort(),
  }
}
