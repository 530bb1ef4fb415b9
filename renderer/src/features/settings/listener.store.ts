import type { ErrorView } from '#contract/define.ts'
import type { ListenerMove } from '#contract/listener.ts'
import { defineStore } from 'pinia'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'

/** A secret to add, as the contract takes it. */
export interface NewSecret {
  label: string
  value: string
  /** Null keeps the secrets before it for good. */
  retireOthersAfterHours: number | null
}

/** The listener's place, secrets and refusals. */
export const useListenerStore = defineStore('settings.listener', () => {
  const { client } = useRpc()
  const view = createLoadable(() => client.listener.get())
  const refusals = createLoadable(() => client.listener.refusals())
  const sources = [view, refusals]

  /** Reads everything once; the returned stop forgets it. */
  function start(): () => void {
    for (const source of sources) {
      source.reset()
      void source.refresh()
    }
    return () => sources.forEach((source) => source.reset())
  }

  /** Keeps the view that a change answers with. */
  async function keep(call: ReturnType<typeof client.listener.get>): Promise<ErrorView | null> {
    const answer = await attempt(call)
    if (answer.ok) view.set(answer.value)
    else void view.refresh()
    return answer.ok ? null : answer.error
  }

  /** A port that could be had in place of the configured one; null when none was found, or could not be looked for. */
  async function freePort(): Promise<number | null> {
    const answer = await attempt(client.listener.freePort())
    return answer.ok ? answer.value.port : null
  }

  /** How many subscriptions deliver to `url`; null if unknown. */
  async function subscriptionsAt(url: string): Promise<number | null> {
    const answer = await attempt(client.webhooks.list())
    return answer.ok ? answer.value.subscriptions.filter((one) => one.url === url).length : null
  }

  return {
    freePort,
    view: view.state,
    refusals: refusals.state,
    start,
    refreshView: view.refresh,
    refreshRefusals: refusals.refresh,
    configure: (move: ListenerMove): Promise<ErrorView | null> => keep(client.listener.configure(move)),
    subscriptionsAt,
    addSecret: ({ label, value, retireOthersAfterHours }: NewSecret): Promise<ErrorView | null> =>
      keep(
        client.listener.addSecret({
          label,
          value,
          ...(retireOthersAfterHours === null ? {} : { retireOthersAfterHours }),
        }),
      ),
    removeSecret: (id: string): Promise<ErrorView | null> => keep(client.listener.removeSecret({ id })),
  }
})
