import type { ErrorView } from '#contract/define.ts'
import type { OfflineVerdict } from '#contract/people/dnc.ts'
import { shallowRef } from 'vue'
import { attempt, errorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

type OnlineVerdict = Awaited<ReturnType<Client['dnc']['checkOnline']>>

/** One side of a check. */
type Side<T> =
  | { kind: 'idle' }
  | { kind: 'asking' }
  | { kind: 'answered'; answer: T }
  | { kind: 'failed'; error: ErrorView }
  | { kind: 'cancelled' }

/** A check of one number: the offline copy's answer and the service's, side by side. */
export function createNumberCheck(client: Pick<Client, 'dnc'>) {
  const offline = shallowRef<Side<OfflineVerdict>>({ kind: 'idle' })
  const online = shallowRef<Side<OnlineVerdict>>({ kind: 'idle' })
  let question = 0
  let asking: AbortController | null = null

  function end(): void {
    question++
    asking?.abort()
    asking = null
  }

  /** Asks the offline copy, then the service (one request) if the number is valid. Drops answers for another number. */
  async function ask(phone: string, region: string | null): Promise<void> {
    end()
    const mine = question
    offline.value = { kind: 'asking' }
    online.value = { kind: 'idle' }
    const here = await attempt(client.dnc.checkOffline({ phones: [phone], region }))
    if (mine !== question) return
    const verdict = here.ok ? here.value.verdicts[0] : undefined
    if (verdict) offline.value = { kind: 'answered', answer: verdict }
    else offline.value = { kind: 'failed', error: here.ok ? errorView('INTERNAL') : here.error }
    if (verdict?.phone === null) return
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
    /** Cancels the request to the service. */
    cancel() {
      if (online.value.kind !== 'asking') return
      end()
      online.value = { kind: 'cancelled' }
    },
    /** Cancels, and clears both answers. */
    reset() {
      end()
      offline.value = { kind: 'idle' }
      online.value = { kind: 'idle' }
    },
  }
}
