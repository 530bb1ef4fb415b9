import type { ContactFilter, ContactSort } from '#contract/contacts.ts'
import { useTimeoutFn } from '@vueuse/core'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { onBeforeRouteLeave, useRoute, useRouter } from 'vue-router'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { addressToFilter, filterToAddress } from './contact-filter.ts'
import { createContactRows } from './contact-rows.ts'
import { createContactSelection } from './contact-selection.ts'

/** The address follows a filter after this rest, milliseconds: to change it costs as much as to draw the rows. */
const addressRestMs = 200

/** The contacts page: the address's filter, its rows, what is chosen, and the figures beside them. Lives with the view. */
export function useContacts() {
  const rpc = useRpc()
  const { client } = rpc
  const route = useRoute()
  const router = useRouter()

  const address = computed(() => addressToFilter(route.query))
  /** What was chosen and is not in the address yet. */
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
  // The address must not follow into a page that is on its way: it would call the operator back.
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
    // At once: an answer to a key is to be there with the next frame.
    { immediate: true, flush: 'sync' },
  )

  const summary = createLoadable(() => client.contacts.summary())
  const tagKeys = createLoadable(() => client.contacts.tagKeys())
  /** Rises when the book has changed; 0 until the first word of it. */
  const version = shallowRef(0)
  onScopeDispose(
    rpc.subscribe((from, signal) => from.contacts.watch(undefined, { signal }), {
      onItem(item) {
        version.value = item.version
        void summary.refresh()
        void tagKeys.refresh()
        rows.refresh(item.version)
      },
    }),
  )

  /** The file's name of the import that the filter asks for. */
  const importName = shallowRef<string | null>(null)
  watch(
    () => filter.value.importId,
    async (importId) => {
      importName.value = null
      if (importId === undefined) return
      const answer = await attempt(client.imports.get({ importId }))
      if (answer.ok && filter.value.importId === importId) importName.value = answer.value.fileName
    },
    { immediate: true },
  )

  return {
    client,
    filter,
    /** Words of the address that are not understood. */
    unread: computed(() => address.value.unread),
    sort,
    rows,
    ask,
    total,
    selection,
    version,
    /** Contacts without a filter; null until they are counted. */
    bookTotal: computed(() =>
      summary.state.value.kind === 'ready' ? summary.state.value.value.total : null,
    ),
    byState: computed(() =>
      summary.state.value.kind === 'ready' ? summary.state.value.value.byState : null,
    ),
    unreadableTags: computed(() =>
      summary.state.value.kind === 'ready' ? summary.state.value.value.unreadableTags : 0,
    ),
    tagKeys: computed(() => (tagKeys.state.value.kind === 'ready' ? tagKeys.state.value.value.keys : [])),
    importName,
  }
}
