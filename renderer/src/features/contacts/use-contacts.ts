import type { ContactFilter, ContactSort } from '#contract/people/contacts.ts'
import { useTimeoutFn } from '@vueuse/core'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { onBeforeRouteLeave, useRoute, useRouter } from 'vue-router'
import { useRpc } from '../../rpc/rpc.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { addressToFilter, filterToAddress, isUnfiltered } from './contact-filter.ts'
import { createContactRows } from './contact-rows.ts'
import { createContactSelection } from './contact-selection.ts'
import { t } from './contacts.texts.ts'

/** Delay before the address follows a filter, milliseconds: changing it costs as much as drawing the rows. */
const addressRestMs = 200

export function useContacts() {
  const rpc = useRpc()
  const { client } = rpc
  const route = useRoute()
  const router = useRouter()

  const address = computed(() => addressToFilter(route.query))
  /** The filter that is not in the address yet. */
  const ahead = shallowRef<ContactFilter | null>(null)
  let following = false
  const rest = useTimeoutFn(() => void follow(), addressRestMs, { immediate: false })
  async function follow(): Promise<void> {
    following = true
    await router.replace({ query: filterToAddress(filter.value) })
    following = false
    if (!rest.isPending.value) ahead.value = null
  }
  watch(
    () => route.query,
    () => {
      if (following) return
      rest.stop()
      ahead.value = null
    },
    { flush: 'sync' },
  )
  // Updating the address now would cancel a navigation to another page.
  onBeforeRouteLeave(() => rest.stop())
  const filter = computed<ContactFilter>({
    get: () => ahead.value ?? address.value.filter,
    set(next) {
      ahead.value = next
      rest.start()
    },
  })
  const sort = shallowRef<ContactSort>({ by: 'name', descending: false })
  const rows = createContactRows(client)
  onScopeDispose(rows.stop)
  const ask = () => rows.ask({ filter: filter.value, sort: sort.value })
  const total = computed(() => rows.state.value.count?.value ?? 0)
  const selection = createContactSelection(
    () => filter.value,
    () => total.value,
  )
  watch(
    () => JSON.stringify([filter.value, sort.value]),
    () => {
      selection.clear()
      ask()
    },
    // At once: the answer to a key should be in the next frame.
    { immediate: true, flush: 'sync' },
  )

  const summary = useAnswer(
    () => ['contact-summary'],
    (client, signal) => client.contacts.summary(undefined, { signal }),
  )
  const tagKeys = useAnswer(
    () => ['contact-tag-keys'],
    (client, signal) => client.contacts.tagKeys(undefined, { signal }),
  )
  /** Rises with each change of the contacts. */
  const version = shallowRef(0)
  rpc.subscribe((from, signal) => from.contacts.watch(undefined, { signal }), {
    onItem(item) {
      version.value = item.version
      void summary.refetch()
      void tagKeys.refetch()
      rows.refresh(item.version)
    },
  })
  const shownImport = useAnswer(
    () => ['import', filter.value.importId],
    (client, signal) => client.imports.get({ importId: filter.value.importId! }, { signal }),
    () => ({ enabled: filter.value.importId !== undefined }),
  )
  const countText = computed(() => {
    const { count, anyOfNumbers } = rows.state.value
    if (!count) return ''
    const { value: n, exact } = count
    const all = summary.data.value?.total ?? 0
    if (anyOfNumbers > 0)
      return t(exact ? 'count.numbers' : 'count.leastNumbers', {
        n,
        numbers: t('count.ofNumbers', { n: anyOfNumbers }),
      })
    if (isUnfiltered(filter.value) || all <= n) return t(exact ? 'count.all' : 'count.least', { n })
    return t(exact ? 'count.part' : 'count.leastPart', { n, total: all })
  })

  return {
    client,
    filter,
    /** Invalid parts of the address. */
    unread: computed(() => address.value.unread),
    sort,
    rows,
    total,
    selection,
    version,
    countText,
    summary: summary.data,
    tagKeys: computed(() => tagKeys.data.value?.keys ?? []),
    /** The file of the import in the filter. */
    importName: computed(() => shownImport.data.value?.fileName ?? null),
  }
}
