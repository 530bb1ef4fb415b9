import type { ErrorView } from '#contract/define.ts'
import type { OfflineVerdict } from '#contract/dnc.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt, errorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/** The service's answer about a number. */
export type OnlineVerdict = Awaited<ReturnType<Client['dnc']['checkOnline']>>

/** One side of a check. */
export type Side<T> =
  | { kind: 'idle' }
  | { kind: 'asking' }
  | { kind: 'answered'; answer: T }
  | { kind: 'failed'; error: ErrorView }
  | { kind: 'cancelled' }

/** One number, asked about here and at the service. The two answers stand beside each other; neither stands for the other. */
export interface NumberCheck {
  offline: Readonly<ShallowRef<Side<OfflineVerdict>>>
  online: Readonly<ShallowRef<Side<OnlineVerdict>>>
  /**
   * Asks here and then the service, which costs one request of the tenant's minute; what is no number is not asked there. Takes
   * away what was said of another number, and drops what is still said of it later.
   */
  ask(phone: string, region: string): Promise<void>
  /** Ends what is being asked of the service: no request leaves after it. */
  cancel(): void
  /** Ends it, and takes away what was said. */
  reset(): void
}

export function createNumberCheck(client: Pick<Client, 'dnc'>): NumberCheck {
  const offline = shallowRef<Side<OfflineVerdict>>({ kind: 'idle' })
  const online = shallowRef<Side<OnlineVerdict>>({ kind: 'idle' })
  let question = 0
  let asking: AbortController | null = null

  function end(): void {
    question++
    asking?.abort()
    asking = null
  }

  async function ask(phone: string, region: string): Promise<void> {
    end()
    const mine = question
    offline.value = { kind: 'asking' }
    online.value = { kind: 'idle' }
    const here = await attempt(client.dnc.checkOffline({ phones: [phone], region }))
    if (mine !== question) return
    const verdict = here.ok ? here.value.verdicts[0] : undefined
    if (verdict) offline.value = { kind: 'answered', answer: verdict }
    else offline.value = { kind: 'failed', error: here.ok ? errorView('INTERNAL') : here.error }
    if (verdict?.verdict === 'unparsable') return
    online.value = { kind: 'asking' }
    asking = new AbortController()
    const there = await attempt(client.dnc.checkOnline({ phone, region }, { signal: asking.signal }))
    if (mine !== question) return
    asking = null
    online.value = there.ok
      ? { kind: 'answered', answer: there.value }
      : { kind: 'failed', error: there.error }
  }

  return {
    offline,
    online,
    ask,
    cancel() {
      if (online.value.kind !== 'asking') return
      end()
      online.value = { kind: 'cancelled' }
    },
    reset() {
      end()
      offline.value = { kind: 'idle' }
      online.value = { kind: 'idle' }
    },
  }
}
