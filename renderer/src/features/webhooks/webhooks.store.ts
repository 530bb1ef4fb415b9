import type { RoundTrip } from '#contract/webhooks.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { type Attempt, attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'

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

  /** Reads once; the returned stop forgets it. */
  function start(): () => void {
    subscriptions.reset()
    void subscriptions.refresh()
    return () => {
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
    await subscriptions.refresh()
  }

  /** Makes a subscription whose secret goes to the keychain and the listener; this window never sees it. */
  async function subscribe(url: string): Promise<Attempt<unknown>> {
    const answer = await attempt(client.webhooks.subscribe({ url }))
    await subscriptions.refresh()
    return answer
  }

  return { subscriptions: subscriptions.state, trips, start, refresh: subscriptions.refresh, test, subscribe }
})
