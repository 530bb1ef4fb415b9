import type { ContactRow } from '#contract/people/contacts.ts'
import { computed, ref, shallowRef, watch } from 'vue'
import { useRouter } from 'vue-router'
import { useAddressCommand } from '../../shared/commands/use-address-command.ts'
import { useListPage } from '../../shared/list/use-list-page.ts'
import { useTheme } from '../../shared/theme/use-theme.ts'
import { useUnsaved } from '../../shared/unsaved/use-unsaved.ts'
import { t } from './contacts.texts.ts'
import type { useContacts } from './use-contacts.ts'

/** Browsers draw no taller element than this, pixels (Chromium: 2²⁵). */
const tallestPx = 33_000_000
/** The drawer’s key while it shows the form of a new contact. */
const newKey = 'new'

/** The list of contacts and its drawer: details, the form, a new contact. */
export function useContactPage({ rows, selection }: ReturnType<typeof useContacts>) {
  const { state } = rows
  const router = useRouter()
  const unsaved = useUnsaved()
  const { rowHeightPx } = useTheme()
  const openKey = ref<string | null>(null)
  const editing = ref(false)
  /** The number a new contact starts with. */
  const newPhone = shallowRef('')
  /** The page that requested the new contact. */
  let askedBy: string | null = null

  /** Escape closes the form before the details. */
  async function mayOpen(key: string | null): Promise<boolean> {
    if (!(await unsaved.mayLeave())) return false
    const wasForm = editing.value && openKey.value !== newKey
    if (key !== openKey.value || wasForm) editing.value = false
    return key !== null || !wasForm
  }

  // Not the whole state: a count that arrives later would redraw the rows.
  const round = computed(() => state.value.round)
  const listed = computed(() => Math.min(state.value.length, Math.floor(tallestPx / rowHeightPx.value)))
  const page = useListPage<ContactRow>({
    id: 'contacts',
    noun: () => t('row'),
    nouns: () => t('rows'),
    query: {
      isPending: computed(() => state.value.phase === 'loading' || state.value.phase === 'idle'),
      isFetching: computed(() => state.value.phase === 'loading'),
      error: computed(() => null),
      refetch: () => rows.refresh(),
    },
    rows() {
      void round.value
      return { length: listed.value, at: rows.row, findIndex: rows.findIndex }
    },
    rowKey: ({ id }) => String(id),
    openKey,
    byKey: true,
    mayOpen,
    back: () => (selection.count.value > 0 ? selection.clear : null),
  })
  watch(
    () => state.value.query,
    () => {
      page.activeKey.value = null
      selection.forgetLast()
      page.toTop()
    },
  )

  async function show(key: string, edit: boolean): Promise<void> {
    if (!(await unsaved.mayLeave())) return
    openKey.value = key
    editing.value = edit
  }

  function add(phone = ''): void {
    newPhone.value = phone
    askedBy = null
    void show(newKey, true)
  }

  /** The page that led here. */
  function pageBefore(): string | null {
    const { back } = router.options.history.state
    return typeof back === 'string' && !back.startsWith('/contacts') ? back : null
  }
  useAddressCommand('contact', (id) => void show(id, false))
  useAddressCommand('new', (phone) => {
    add(phone)
    askedBy = pageBefore()
  })

  return {
    page,
    listed,
    editing,
    newPhone,
    /** The contact in the drawer; null for a new one. */
    openId: computed(() => (openKey.value === newKey ? null : Number(openKey.value))),
    add,
    pageBefore,
    edit() {
      const row = page.activeRow.value
      if (row) void show(String(row.id), row.state !== 'deleting')
    },
    /** Shows the saved contact. Returns the page to go back to after adding it, if any. */
    saved(id: number): { isNew: boolean; wayBack: string | null } {
      const isNew = openKey.value === newKey
      const wayBack = isNew ? askedBy : null
      askedBy = null
      editing.value = false
      openKey.value = String(id)
      rows.refresh()
      return { isNew, wayBack }
    },
  }
}
