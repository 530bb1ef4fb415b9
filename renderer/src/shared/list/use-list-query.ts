import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, toValue, watch, type MaybeRefOrGetter, type Ref } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'

/** A page of an answer that continues at a cursor. */
interface CursorPage {
  items: readonly unknown[]
  nextCursor: string | number | null
}

export interface ListQuery {
  /** True until the first answer, or the first error. */
  isPending: Readonly<Ref<boolean>>
  isFetching: Readonly<Ref<boolean>>
  /** True while rows of the previous key are shown. */
  isPlaceholderData?: Readonly<Ref<boolean>>
  error: Readonly<Ref<unknown>>
  refetch(): unknown
}

/** Loads the next page of a query; during a refetch, after it, because a table asks only once. */
export function useNextPage(query: {
  hasNextPage: Readonly<Ref<boolean>>
  isPlaceholderData: Readonly<Ref<boolean>>
  isFetching: Readonly<Ref<boolean>>
  fetchNextPage(): unknown
}): () => void {
  let isQueued = false
  function loadMore(): void {
    const isThere = query.hasNextPage.value && !query.isPlaceholderData.value
    isQueued = isThere && query.isFetching.value
    if (isThere && !isQueued) void query.fetchNextPage()
  }
  watch(query.isFetching, () => isQueued && loadMore())
  return loadMore
}

/**
 * A list loaded page by page while scrolling. Rows of the previous key stay until the new ones arrive. Nothing is cached when the page is
 * left. `refetch` retries the page that failed or restarts at the first one: an infinite query would reload every page.
 */
export function useListQuery<A extends CursorPage>(options: {
  key: MaybeRefOrGetter<readonly unknown[]>
  read(cursor: NonNullable<A['nextCursor']> | undefined, signal: AbortSignal): Promise<A>
}) {
  const client = useQueryClient()
  type Cursor = NonNullable<A['nextCursor']> | undefined
  const query = useInfiniteQuery(() => ({
    queryKey: toValue(options.key),
    queryFn: ({ pageParam, signal }: { pageParam?: unknown; signal: AbortSignal }) =>
      options.read(pageParam as Cursor, signal),
    initialPageParam: undefined as unknown,
    getNextPageParam: (last: A): unknown => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  }))
  const pages = computed(() => query.data.value?.pages ?? [])
  const loadMore = useNextPage(query)
  /** Changes during a request: a second one would cancel it, and under steady traffic none would end. */
  let isOutdated = false
  /** Reloads the loaded pages, after a running request, so that rows stay in place. For lists that follow changes. */
  function update(): unknown {
    isOutdated = query.isFetching.value
    return isOutdated ? undefined : query.refetch()
  }
  watch(query.isFetching, () => isOutdated && update())

  return {
    isPending: query.isPending,
    isFetching: query.isFetching,
    isPlaceholderData: query.isPlaceholderData,
    error: query.error,
    problem: computed(() => query.error.value && toErrorView(query.error.value)),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    rows: computed(() => pages.value.flatMap(({ items }) => items as A['items'][number][])),
    /** The page loaded last, for totals and ages. */
    answer: computed(() => pages.value.at(-1) ?? null),
    first: computed(() => pages.value[0] ?? null),
    update,
    refetch() {
      if (query.isFetchNextPageError.value) return query.fetchNextPage()
      client.setQueryData(
        toValue(options.key) as unknown[],
        (data: { pages: A[]; pageParams: unknown[] } | undefined) =>
          data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
      )
      return query.refetch()
    },
    loadMore,
  }
}
