import type { ContactFilter, ContactSort } from '#contract/contacts.ts'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { addressToFilter, filterToAddress } from './contact-filter.ts'
import { createContactRows } from './contact-rows.ts'
import { createContactSelection } from './contact-selection.ts'

/** The contacts page: the address's filter, its rows, what is chosen, and the figures beside them. Lives with the view. */
export function useContacts() {
  const rpc = useRpc()
  const { client } = rpc
  const route = useRoute()
  const router = useRouter()

  const address = computed(() => addressToFilter(route.query))
  const filter = computed<ContactFilter>({
    get: () => address.value.filter,
    set: (next) => void router.replace({ query: filterToAddress(next) }),
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
    { immediate: true },
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
