import type { EventRow } from '#contract/live/events.ts'
import { type Ref, shallowRef, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { startPolling } from '../../shared/time/polling.ts'

/** How long a search may take, and the time between two, milliseconds. */
const patienceMs = 500
const refreshMs = 5_000
/** The newest ones are kept. */
const keptMax = 400

const digitsOf = (number: string | null) => number?.replace(/\D/g, '')

/** Delivery reports of messages to a number, newest first: as many as a short search finds, and those that arrive. */
export function useSentReports(phone: Readonly<Ref<string | null>>, visible: Readonly<Ref<boolean>>) {
  const { client } = useRpc()
  const reports = shallowRef<readonly EventRow[]>([])

  watch(
    phone,
    (number, _before, onCleanup) => {
      reports.value = []
      if (number === null) return
      /** Only what came since the last search is searched. */
      let from: string | undefined
      async function read(signal: AbortSignal): Promise<void> {
        const filter = { kinds: ['dlr' as const], number: number!, ...(from && { from }) }
        const { items, asOf } = await client.events.search({ filter, limit: 200, patienceMs }, { signal })
        // Events are stored a little after they arrive.
        from = new Date(Date.parse(asOf) - 2 * refreshMs).toISOString()
        // The search also finds longer numbers.
        const known = new Set(reports.value.map(({ seq }) => seq))
        const fresh = items.filter((row) => !known.has(row.seq) && digitsOf(row.number) === digitsOf(number))
        if (fresh.length > 0)
          reports.value = [...fresh, ...reports.value].sort((a, b) => b.seq - a.seq).slice(0, keptMax)
      }
      onCleanup(startPolling(read, () => refreshMs, { visible }))
    },
    { immediate: true },
  )
  return reports
}
