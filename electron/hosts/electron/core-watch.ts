import type { MessagePort } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '../../contract/contract.ts'
import type { DesktopState } from '../../contract/connection/desktop.ts'
import type { Status } from '../../contract/connection/status.ts'
import { wireTypes } from '../../contract/wire-types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

/** Delay before reconnecting to a lost core. */
const reconnectMs = 2_000
/** How long a closing window waits for the core's state. */
const stateTimeoutMs = 1_000

type Client = ContractRouterClient<Contract>

export type CoreWatch = ReturnType<typeof watchCore>

/** Follows the core's status and desktop state over a port like a page's. Reconnects after the core is lost. */
export function watchCore(parts: { connect: () => MessagePort; clock: Clock; log: Log }) {
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
      const port = parts.connect()
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
      await parts.clock.sleep(reconnectMs, signal).catch(() => {})
    }
  }
  void follow()

  return {
    /** The current state; the last known one when the core doesn't answer in time, null for none. */
    async state(): Promise<DesktopState | null> {
      try {
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(stateTimeoutMs)])
        for await (const now of await client!.desktop.state(undefined, { signal })) return now
      } catch {
        // Closing must work even if the core crashed or hangs.
      }
      return state
    },
    /** Called with each new value; null when the core is lost. */
    onStatus: (callback: (status: Status | null) => void) => void statusCallbacks.add(callback),
    onState: (callback: (state: DesktopState | null) => void) => void stateCallbacks.add(callback),
    /** Pauses or resumes the outbox. Logs a refusal. */
    setSending(sending: 'on' | 'paused'): void {
      const changed = sending === 'on' ? client?.outbox.resume() : client?.outbox.pause()
      changed?.catch((error: unknown) =>
        parts.log.warn('Could not pause or resume the outbox', { sending, error }),
      )
    },
    stop: () => stopping.abort(),
  }
}
