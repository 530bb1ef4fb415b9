import type { EventRow } from '#contract/live/events.ts'
import { computed } from 'vue'
import { useListPage } from '../../shared/list/use-list-page.ts'
import { t } from './events.texts.ts'
import type { useLiveEvents } from './use-live-events.ts'

/** The stream of events as a list page. An invalid filter lists nothing and is no failure. */
export function useEventPage({ stream, problems, find }: ReturnType<typeof useLiveEvents>) {
  const { phase, rows, older } = stream
  const page = useListPage<EventRow>({
    id: 'events',
    noun: () => t('row'),
    nouns: () => t('rows'),
    query: {
      isPending: computed(() => phase.value.kind === 'loading' || phase.value.kind === 'idle'),
      isFetching: computed(() => phase.value.kind === 'loading'),
      error: computed(() => null),
      refetch: stream.restart,
    },
    rows: () => (problems.value ? [] : rows.value),
    rowKey: ({ seq }) => String(seq),
    find,
  })
  return {
    ...page,
    isPending: computed(() => problems.value === null && page.isPending.value),
    problem: computed(() => {
      if (problems.value) return null
      if (phase.value.kind === 'failed') return phase.value.error
      return older.value.kind === 'failed' && rows.value.length === 0 ? older.value.error : null
    }),
  }
}
