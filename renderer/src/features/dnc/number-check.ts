import type { ErrorView } from '#contract/define.ts'
import type { OfflineVerdict } from '#contract/dnc.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
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
  /** Asks here, and takes away what the service said of another number. */
  askOffline(phone: string, region: string): Promise<void>
  /** Asks the service: one request of the tenant's minute. */
  askOnline(phone: string, region: string): Promise<void>
  reset(): void
}

export function createNumberCheck(client: Pick<Client, 'dnc'>): NumberCheck {
  const offline = shallowRef<Side<OfflineVerdict>>({ kind: 'idle' })
  const online = shallowRef<Side<OnlineVerdict>>({ kind: 'idle' })
  let question = 0

  return {
    offline,
    online,
    async askOffline(phone, region) {
      const mine = ++question
      offline.value = { kind: 'asking' }
      online.value = { kind: 'idle' }
      const answer = await attempt(client.dnc.checkOffline({ phones: [phone], region }))
      if (mine !== question) return
      const verdict = answer.ok ? answer.value.verdicts[0] : undefined
      if (verdict) offline.value = { kind: 'answered', answer: verdict }
      else if (!answer.ok) offline.value = { kind: 'failed', error: answer.error }
      else offline.value = { kind: 'idle' }
    },
    async askOnline(phone, region) {
      const mine = question
      online.value = { kind: 'asking' }
      const answer = await attempt(client.dnc.checkOnline({ phone, region }))
      if (mine !== question) return
      online.value = answer.ok
        ? { kind: 'answered', answer: answer.value }
        : { kind: 'failed', error: answer.error }
    },
    reset() {
      question++
      offline.value = { kind: 'idle' }
      online.value = { kind: 'idle' }
    },
  }
}
