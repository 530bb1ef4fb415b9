import { useDocumentVisibility } from '@vueuse/core'
import { type Ref, computed, onScopeDispose, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import type { CampaignChanges } from '#contract/campaigns.ts'
import { useStatusStore } from '../status/status.store.ts'
import { startPolling } from '../time/polling.ts'
import { useCampaignAnswersStore } from './campaign-answers.store.ts'
import { type CampaignMotions, createCampaignMotions } from './campaign-motions.ts'
import type { CampaignQuery } from './campaign-answers.ts'
import { type CampaignList, createCampaignList } from './campaign-list.ts'
import { type PauseCampaign, createPauseCampaign } from './pause-campaign.ts'

/** How often the core is asked again while someone looks, milliseconds. How often it asks the service is its own affair: see `watch`. */
const refreshMs = 10_000

/**
 * Campaigns of `first`, how they move, and their pause: asked for every ten seconds while the window is seen, and at once when the
 * core says that a status changed or a guard did something, of which `onChange` is told. Lives with the calling component.
 */
export function useCampaigns(
  first: CampaignQuery,
  onChange: (changed: CampaignChanges['items']) => void = () => {},
): {
  list: CampaignList
  motions: CampaignMotions
  pause: PauseCampaign
  /** What must be typed before a pause, on a production connection. */
  typeName: Ref<string | null>
  /** False while the core's status does not arrive: what is shown may be old, and a pause would get nowhere. */
  connected: Ref<boolean>
} {
  const rpc = useRpc()
  const { client } = rpc
  const statusStore = useStatusStore()
  const visibility = useDocumentVisibility()

  const answers = useCampaignAnswersStore().of(statusStore.connection)
  const list = createCampaignList(client, first, { answers })
  const motions = createCampaignMotions(client)
  const pause = createPauseCampaign({
    client,
    onCampaign: list.replace,
    onDoubt: () => void list.refresh(),
  })
  watch(
    () => list.state.value.last,
    (page) => {
      if (!page) return
      pause.know(page)
      void motions.read(page.items.map(({ id }) => id))
    },
  )
  const visible = computed(() => visibility.value === 'visible')
  onScopeDispose(
    startPolling(
      (signal) => (list.state.value.kind === 'idle' ? list.refresh(signal) : list.poll(signal)),
      () => refreshMs,
      { visible },
    ),
  )

  let isFirst = true
  onScopeDispose(
    rpc.subscribe((from, signal) => from.campaigns.watch(undefined, { signal }), {
      onItem({ items }) {
        // The stream begins with what the page is reading anyway.
        if (isFirst) return void (isFirst = false)
        for (const { campaign } of items) list.replace(campaign)
        onChange(items)
        // Which campaigns run the core knows by itself; for other lists the records are enough, and many pauses are not many requests.
        const { last } = list.state.value
        if (last?.query.status === 'running') void list.poll()
        else if (last) void motions.read(last.items.map(({ id }) => id))
      },
      onLost: () => (isFirst = true),
    }),
  )

  return {
    list,
    motions,
    pause,
    connected: computed(() => statusStore.alive),
    typeName: computed(() => (statusStore.connection?.production ? statusStore.connection.name : null)),
  }
}
