import { useDocumentVisibility } from '@vueuse/core'
import { computed, onScopeDispose } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { startPolling } from '../../shared/time/polling.ts'
import { createScheduledReading } from './scheduled-reading.ts'
import { type ScheduledFilter, narrow, waitingOfSpec } from './scheduled-rows.ts'

/** How often the list is read again while someone looks, milliseconds; a long one less often, so that it takes no more than a twentieth of the tenant's requests. */
const refreshMs = 60_000
const perPageMs = 6_000
const perPage = 100

const whiches: readonly ScheduledFilter['which'][] = ['coming', 'overdue', 'over', 'all']

/** Everything of the page for one visit. The filter stands in the address. */
export function useScheduled() {
  const { client } = useRpc()
  const route = useRoute()
  const router = useRouter()
  const visibility = useDocumentVisibility()
  const reading = createScheduledReading(client)
  const { state } = reading

  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : '')
  const filter = computed<ScheduledFilter>(() => {
    const { which, day, hour } = route.query
    const at = Number(text(hour))
    return {
      which: whiches.find((one) => one === which) ?? 'coming',
      text: text(route.query['text']),
      day: /^\d{4}-\d\d-\d\d$/.test(text(day)) ? text(day) : null,
      hour: text(hour) !== '' && Number.isInteger(at) && at >= 0 && at < 24 ? at : null,
    }
  })
  const dialect = createLoadable(() => client.settings.getDialect())
  void dialect.refresh()
  const waiting = computed(() => {
    const known = dialect.state.value
    return known.kind === 'ready' ? known.value.waitingScheduledStatuses.value : waitingOfSpec
  })
  const shown = computed(() => narrow(state.value.items, filter.value, state.value.asOfMs, waiting.value))

  function go(change: Partial<ScheduledFilter>): void {
    const next = { ...filter.value, ...change }
    void router.replace({
      query: {
        ...(next.which === 'coming' ? {} : { which: next.which }),
        ...(next.text === '' ? {} : { text: next.text }),
        ...(next.day === null ? {} : { day: next.day }),
        ...(next.day === null || next.hour === null ? {} : { hour: String(next.hour) }),
      },
    })
  }

  const periodMs = () => Math.max(refreshMs, (state.value.items.length / perPage) * perPageMs)
  const stopPolling = startPolling(() => reading.refresh(refreshMs / 2), periodMs, {
    visible: computed(() => visibility.value === 'visible'),
  })
  onScopeDispose(() => {
    stopPolling()
    reading.stop()
  })

  return { client, state, filter, waiting, shown, go, refresh: () => reading.refresh(), stop: reading.stop }
}
