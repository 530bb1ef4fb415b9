import { storeToRefs } from 'pinia'
import { keepPreviousData, useQueryClient } from '@tanstack/vue-query'
import { computed, onScopeDispose, watch } from 'vue'
import type { Freshness } from '#contract/define.ts'
import type { CampaignStatus } from '#contract/words.ts'
import { type Client, useRpc } from '../../rpc/rpc.ts'
import { useCommands } from '../commands/use-commands.ts'
import { useAnswer } from '../query/use-answer.ts'
import { useQueryKey } from '../query/use-query-key.ts'
import { useStatusStore } from '../status/status.store.ts'
import { t } from './campaigns.texts.ts'
import { createPauseCampaign } from './pause-campaign.ts'
import { usePauseOutcomesStore } from './pause-outcomes.store.ts'
import type { CampaignMotion } from '#contract/views/campaigns.ts'
import type { Campaign } from '#contract/domain.ts'

/** A newer record, from the core's stream or a pause. */
interface CampaignChange {
  campaign: Campaign
  readAt: string
  motion?: CampaignMotion
}

/** A page of the list with newer records in place; the same page if none is on it. */
export function withChanges<P extends { items: Campaign[]; motions: CampaignMotion[] }>(
  page: P,
  changes: readonly CampaignChange[],
): P {
  const newer = new Map(changes.map((change) => [change.campaign.id, change]))
  if (!page.items.some(({ id }) => newer.has(id))) return page
  const motions = new Map(page.motions.map((motion) => [motion.id, motion]))
  for (const { motion } of changes) if (motion) motions.set(motion.id, motion)
  return {
    ...page,
    items: page.items.map((campaign) => newer.get(campaign.id)?.campaign ?? campaign),
    motions: [...motions.values()],
  }
}

/** An open page asks the core every 10 s. The core decides how often it asks the service. */
export const followed = {
  placeholderData: keepPreviousData,
  refetchInterval: 10_000,
  refetchOnWindowFocus: true,
}

/** The last *Pause all*, followed while it runs. */
export const usePauseAllRun = () =>
  useAnswer(
    () => ['pause-all', 'run'],
    (client, signal) => client.campaigns.pauseAllRun(undefined, { signal }),
    () => ({ refetchInterval: (answer) => (answer?.run?.endedAt === null ? 1_000 : false) }),
  )

/** Which page of the service's list. */
interface CampaignQuery {
  page: number
  perPage: number
  status?: CampaignStatus | undefined
}

type Calls = Client['campaigns']
type CampaignPage = Awaited<ReturnType<Calls['list']>>
type CampaignDetail = Awaited<ReturnType<Calls['detail']>>

/**
 * A page of campaigns and their pauses. The core holds the one record of each campaign and answers with no older one, so an answer
 * always replaces the last; its stream brings changes at once.
 */
export function useCampaigns(query: () => CampaignQuery) {
  const rpc = useRpc()
  const { client } = rpc
  const cache = useQueryClient()
  const keyOf = useQueryKey()
  const status = useStatusStore()
  let asksService = false

  const list = useAnswer(
    () => ['campaigns', 'list', query()],
    (to, signal) => {
      const poll = !asksService
      asksService = false
      return to.campaigns.list({ ...query(), poll }, { signal })
    },
    () => followed,
  )
  const page = computed(() => list.data.value ?? null)

  function refresh(): void {
    asksService = true
    void list.refetch()
    void cache.invalidateQueries({ queryKey: keyOf('campaigns', 'detail') })
  }

  function take(changes: readonly CampaignChange[]): void {
    pause.know({ items: changes.map(({ campaign }) => campaign), total: Infinity }, undefined)
    cache.setQueriesData<CampaignPage>(
      { queryKey: keyOf('campaigns', 'list') },
      (known) => known && withChanges(known, changes),
    )
    for (const { campaign, readAt, motion } of changes) {
      const freshness: Freshness = { asOf: readAt, source: 'live', error: null }
      const queryKey = keyOf('campaigns', 'detail', campaign.id)
      cache.setQueriesData<CampaignDetail>(
        { queryKey },
        (known) => known && { ...known, campaign, freshness, motion: motion ?? known.motion },
      )
      void cache.invalidateQueries({ queryKey })
    }
  }

  const pauses = usePauseOutcomesStore()
  const { outcomes, typedName } = storeToRefs(pauses)
  /** What *Pause all* left running is shown like any failed pause, also after its dialog was closed. */
  const pauseAll = usePauseAllRun()
  watch(pauseAll.data, (known) => known?.run && pauses.take(known.run), { immediate: true })

  const leaving = new AbortController()
  onScopeDispose(() => leaving.abort())
  const pause = createPauseCampaign({
    client,
    outcomes,
    typedName,
    typeName: () => status.typeName,
    left: leaving.signal,
    onPaused: (campaign) => take([{ campaign, readAt: new Date().toISOString() }]),
    onDoubt: refresh,
  })
  watch(page, (known) => known && pause.know(known, query().status))
  useCommands(() =>
    pauses.failed.length === 0
      ? []
      : [
          {
            id: 'campaigns.pause-again',
            title: t('outcome.againAll', { n: pauses.failed.length }),
            enabled: () => status.alive,
            run: () => pauses.failed.forEach(({ id }) => void pause.again(id)),
          },
          {
            id: 'campaigns.dismiss-pauses',
            title: t('outcome.dismissAll', { n: pauses.failed.length }),
            run: () => pauses.failed.forEach(({ id }) => pause.dismiss(id)),
          },
        ],
  )

  let isFirst = true
  rpc.subscribe((from, signal) => from.campaigns.watch(undefined, { signal }), {
    onItem({ items }) {
      // The first item only opens the stream.
      if (isFirst) return void (isFirst = false)
      take(items)
      void cache.invalidateQueries({ queryKey: keyOf('campaigns', 'rules') })
      if (items.length === 0) void cache.invalidateQueries({ queryKey: keyOf('campaigns', 'detail') })
      // The core answers this list without a request; for others the changed records are enough.
      if (query().status === 'running') void list.refetch()
    },
    onLost: () => (isFirst = true),
  })

  return {
    list,
    page,
    motions: computed(() => new Map(page.value?.motions.map((motion) => [motion.id, motion]))),
    /** A list that couldn't be refreshed is a cached one. */
    freshness: computed<Freshness | null>(() => {
      const known = page.value?.freshness ?? null
      return known && list.error.value ? { ...known, source: 'cache' } : known
    }),
    refresh,
    pause,
    /** False while disconnected from the core: what is shown may be old, and nothing can be paused. */
    connected: computed(() => status.alive),
  }
}
