import type { RoundTrip, SubscribeOrder, SubscribeResult } from '#contract/webhooks.ts'
import { defineStore } from 'pinia'
import { type Ref, computed, shallowRef } from 'vue'
import { type Attempt, attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { startPolling } from '../../shared/time/polling.ts'

/** How often the list is read by itself while it is looked at, milliseconds: one of the tenant's 200 requests a minute for each page of it. */
const periodPerPageMs = 60_000
/** Subscriptions in a page of the service's list. */
const perPage = 100

/** A round-trip test of one subscription: under way, ended, or not to be had. */
export type TripState = { kind: 'running' } | { kind: 'ended'; answer: Attempt<RoundTrip> }

/** Where a test of one family of one subscription is kept. */
export const tripKey = (id: string, family: 'dlr' | 'mo') => `${id}/${family}`

/** The subscriptions at the service and the round-trip tests of this visit. */
export const useWebhooksStore = defineStore('webhooks', () => {
  const { client } = useRpc()
  const subscriptions = createLoadable(() => client.webhooks.list())
  const trips = shallowRef<ReadonlyMap<string, TripState>>(new Map())
  let visit = 0
  let readings = 0
  let readAtMs = 0

  function refresh(): Promise<void> {
    readings++
    readAtMs = Date.now()
    return subscriptions.refresh()
  }

  const periodMs = computed(() => {
    const { value: state } = subscriptions.state
    const count = state.kind === 'ready' ? state.value.subscriptions.length : 0
    return periodPerPageMs * Math.max(1, Math.ceil(count / perPage))
  })
  const dueInMs = () => Math.max(0, readAtMs + periodMs.value - Date.now())

  /** Reads when it is time, unless somebody has read meanwhile: what was asked for later counts. A failure leaves what is shown, and its age. */
  async function readByItself(signal: AbortSignal): Promise<void> {
    if (dueInMs() > 0) return
    const mine = ++readings
    const answer = await attempt(client.webhooks.list({ byItself: true }))
    if (signal.aborted || mine !== readings) return
    readAtMs = Date.now()
    if (answer.ok) subscriptions.set(answer.value)
  }

  /** Reads, and again by itself while `looked`; the returned stop forgets it. */
  function start(looked: Readonly<Ref<boolean>>): () => void {
    subscriptions.reset()
    void refresh()
    const stop = startPolling(readByItself, () => Math.max(1_000, dueInMs()), { visible: looked })
    return () => {
      stop()
      visit++
      subscriptions.reset()
      trips.value = new Map()
    }
  }

  function setTrip(key: string, state: TripState): void {
    trips.value = new Map(trips.value).set(key, state)
  }

  /** Sends a test event and keeps what became of it, with the counts as they are then. */
  async function test(id: string, family: 'dlr' | 'mo'): Promise<void> {
    const key = tripKey(id, family)
    if (trips.value.get(key)?.kind === 'running') return
    const mine = visit
    setTrip(key, { kind: 'running' })
    const answer = await attempt(client.webhooks.roundTrip({ id, family }))
    if (mine !== visit) return
    setTrip(key, { kind: 'ended', answer })
    await refresh()
  }

  async function subscribe(order: SubscribeOrder): Promise<Attempt<SubscribeResult>> {
    const answer = await attempt(client.webhooks.subscribe(order))
    await refresh()
    return answer
  }

  /** Single event names by family, from this connection's field names. */
  async function singleNames(): Promise<{ dlr: string[]; mo: string[] }> {
    const answer = await attempt(client.settings.getDialect())
    const named = answer.ok ? answer.value.webhookEventFamilies.value : { dlr: [], mo: [] }
    return {
      dlr: named.dlr.filter((name) => name !== 'dlr'),
      mo: named.mo.filter((name) => name !== 'mo'),
    }
  }

  return { subscriptions: subscriptions.state, periodMs, trips, start, refresh, test, subscribe, singleNames }
})
