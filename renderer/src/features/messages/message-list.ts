import type { Freshness } from '#contract/define.ts'
import type { Message } from '#contract/domain.ts'
import type { CampaignOf } from '#contract/views/messages.ts'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { Client } from '../../rpc/rpc.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useNextPage } from '../../shared/list/use-list-query.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { t } from './messages.texts.ts'

type MessagePage = Pick<
  Awaited<ReturnType<Client['messages']['list']>>,
  'items' | 'campaigns' | 'unreadable' | 'total' | 'atLeast' | 'freshness'
>

/** Spec, Limits: the largest page. */
const perPage = 100
/** The API has no filter, so loading everything finds nothing sooner. */
export const loadedMax = 5_000

/** While the service is slow, it is asked again: delay in milliseconds, and how often. */
const askAgainMs = 1_500
const askAgainMax = 8

/**
 * What the loaded pages may lack, or null: each message added or removed shifts them. Messages that came again or a higher total mean new
 * ones, a lower total that some were missed.
 */
export function movedText(totals: readonly number[], again: number): string | null {
  const last = totals.at(-1) ?? 0
  const gone = Math.max(...totals) - last
  if (gone > 0) return t('moved.gone', { n: gone })
  const added = Math.max(last - (totals[0] ?? 0), again)
  return added === 0 ? null : t('moved.added', { n: added })
}

/** The list from its pages. Pages are numbered, so a message that moved comes twice: it shows once, as loaded last. */
export function listOf(pages: readonly MessagePage[]) {
  const rows = new Map<string, Message>()
  const campaigns = new Map<string | null, CampaignOf>()
  const totals: number[] = []
  let again = 0
  let freshness: Freshness | null = null
  let unreadable = 0
  let isAllOld = false
  for (const { items, freshness: ofPage, ...page } of pages) {
    totals.push(page.atLeast ? 0 : page.total)
    unreadable += page.unreadable ?? 0
    const known = items.filter(({ id }) => rows.has(id)).length
    again += known
    isAllOld = known === items.length && (page.unreadable ?? 0) === 0
    for (const item of items) rows.set(item.id, item)
    for (const campaign of page.campaigns) campaigns.set(campaign.id, campaign)
    freshness = freshness === null ? ofPage : older(freshness, ofPage)
  }
  const last = pages.at(-1)
  const lengthOf = (page: MessagePage | undefined) => (page?.items.length ?? 0) + (page?.unreadable ?? 0)
  // A service may return fewer messages than requested.
  const pageSize = lengthOf(pages[0]) || perPage
  const isAtEnd =
    !last ||
    lengthOf(last) === 0 ||
    (last.atLeast && isAllOld) ||
    (!last.atLeast &&
      ((lengthOf(last) < pageSize && rows.size + unreadable >= last.total) ||
        pages.length * pageSize >= last.total))
  return {
    rows: [...rows.values()],
    campaigns,
    unreadable,
    total: last?.total ?? 0,
    // The last page is empty once all are loaded.
    atLeast: !isAtEnd && last.atLeast === true,
    freshness,
    moved: movedText(totals, again),
    more: isAtEnd ? ('none' as const) : rows.size >= loadedMax ? ('full' as const) : ('there' as const),
  }
}

/** The service’s list. Every page costs a request, so `refresh` loads the first one and drops the rest. */
export function useMessageList() {
  const { client } = useRpc()
  const cache = useQueryClient()
  const queryKey = [...useQueryKey()('messages')]
  let tries = 0

  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => client.messages.list({ page: pageParam, perPage }, { signal }),
    initialPageParam: 1,
    getNextPageParam: (_last: MessagePage, pages: MessagePage[]) =>
      listOf(pages).more === 'there' ? pages.length + 1 : undefined,
    refetchInterval({ state }) {
      const pages = state.data?.pages ?? []
      const isPending =
        pages.length === 1 && pages[0]!.freshness.source === 'cache' && !pages[0]!.freshness.error
      return isPending && tries++ < askAgainMax ? askAgainMs : false
    },
    refetchOnReconnect: false,
    staleTime: Infinity,
    gcTime: 0,
  })

  function change(of: (page: MessagePage, at: number) => MessagePage | null): void {
    cache.setQueryData<InfiniteData<MessagePage, number>>(queryKey, (data) => {
      if (!data) return data
      const pages = data.pages.map(of).filter((page) => page !== null)
      return { pages, pageParams: data.pageParams.slice(0, pages.length) }
    })
  }
  const replace = (id: string, next: (message: Message) => Message) =>
    change((page) => ({ ...page, items: page.items.map((item) => (item.id === id ? next(item) : item)) }))

  return {
    query,
    loadMore: useNextPage(query),
    list: computed(() => listOf(query.data.value?.pages ?? [])),
    refresh(): void {
      tries = 0
      change((page, at) => (at === 0 ? page : null))
      void query.refetch()
    },
    /** Adds a record loaded elsewhere. */
    know: (record: Message) => replace(record.id, () => record),
    /** Updates only the status of a message. */
    setStatus: (id: string, status: string) => replace(id, (message) => ({ ...message, status })),
  }
}

/** The combined age of both: the older one’s, and live only if both are. */
function older(a: Freshness, b: Freshness): Freshness {
  if (a.source !== b.source) return a.source === 'cache' ? a : b
  return Date.parse(a.asOf) <= Date.parse(b.asOf) ? a : b
}
