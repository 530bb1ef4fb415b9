import { useDocumentVisibility } from '@vueuse/core'
import { type Ref, computed, onScopeDispose, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { useStatusStore } from '../status/status.store.ts'
import { startPolling } from '../time/polling.ts'
import { useCampaignAnswersStore } from './campaign-answers.store.ts'
import { type CampaignList, type CampaignQuery, createCampaignList } from './campaign-list.ts'
import { type PauseCampaign, createPauseCampaign } from './pause-campaign.ts'

/** How often the counts are read again while someone looks, milliseconds. Six requests of the tenant's 200 per minute. */
const refreshMs = 10_000

/** Campaigns of `first`, read again every ten seconds while the window is seen, and their pause. Lives with the calling component. */
export function useCampaigns(first: CampaignQuery): {
  list: CampaignList
  pause: PauseCampaign
  /** What must be typed before a pause, on a production connection. */
  typeName: Ref<string | null>
  /** False while the core's status does not arrive: what is shown may be old, and a pause would get nowhere. */
  connected: Ref<boolean>
} {
  const { client } = useRpc()
  const statusStore = useStatusStore()
  const visibility = useDocumentVisibility()

  const answers = useCampaignAnswersStore().of(statusStore.connection)
  const list = createCampaignList(client, first, { answers })
  const pause = createPauseCampaign({
    client,
    onCampaign: list.replace,
    onDoubt: () => void list.refresh(),
  })
  watch(
    () => list.state.value.last,
    (page) => page && pause.know(page),
  )
  const visible = computed(() => visibility.value === 'visible')
  onScopeDispose(
    startPolling(
      (signal) => list.refresh(signal),
      () => refreshMs,
      { visible },
    ),
  )

  return {
    list,
    pause,
    connected: computed(() => statusStore.alive),
    typeName: computed(() => (statusStore.connection?.production ? statusStore.connection.name : null)),
  }
}
