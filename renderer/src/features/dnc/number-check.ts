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

/** One number, asked about here and at the service. The two answers stand beside each other; neither stands for the other. */
export interface NumberCheck {
  offline: Readonly<ShallowRef<Side<OfflineVerdict>>>
  online: Readonly<ShallowRef<Side<OnlineVerdict>>>
  /**
   * Asks here and then the service, which costs one request of the tenant's minute; what is no number is not asked there. Takes
   * away what was said of another number, and drops what is still said of it later.
   */
  ask(phone: string, region: string): Promise<void>
  reset(): void
}

export function createNumberCheck(client: Pick<Client, 'dnc'>): NumberCheck {
  const offline = shallowRef<Side<OfflineVerdict>>({ kind: 'idle' })
  const online = shallowRef<Side<OnlineVerdict>>({ kind: 'idle' })
  let question = 0

  async function ask(phone: string, region: string): Promise<void> {
    const mine = ++question
    offline.value = { kind: 'asking' }
    online.value = { kind: 'idle' }
    const here = await attempt(client.dnc.checkOffline({ phones: [phone], region }))
    if (mine !== question) return
    const verdict = here.ok ? here.value.verdicts[0] : undefined
    if (verdict) offline.value = { kind: 'answered', answer: verdict }
    else offline.value = { kind: 'failed', error: here.ok ? errorView('INTERNAL') : here.error }
    if (verdict?.verdict === 'unparsable') return
    online.value = { kind: 'asking' }
    const there = await attempt(client.dnc.checkOnline({ phone, region }))
    if (mine !== question) return
    online.value = there.ok
      ? { kind: 'answered', answer: there.value }
      : { kind: 'failed', error: there.error }
  }

  return {
    offline,
    online,
    ask,
    reset() {
      question++
      offline.value = { kind: 'idle' }
      online.value = { kind: 'idle' }
    },
  }
}
