import type { ErrorView } from '#contract/define.ts'
import { useEventListener } from '@vueuse/core'
import { type ComputedRef, type Ref, computed, ref, shallowRef, watch } from 'vue'
import { useCommands } from '../commands/use-commands.ts'
import { t } from '../i18n/shared.texts.ts'
import { useProblem } from '../query/use-problem.ts'
import type { RowList } from '../table/columns.ts'
import { useStillRows } from './still-rows.ts'
import type { ListQuery } from './use-list-query.ts'

/** Controls that use the arrow keys themselves. */
const arrowControls =
  'input, select, textarea, [contenteditable="true"], [role="dialog"], [tabindex="0"]:not([role="grid"])'

/**
 * Arrow and page keys for the page’s list, unless the focused control needs them. `step` moves by rows, `page` by screens; 1 is towards
 * older rows.
 */
function useListKeys(step: (distance: 1 | -1) => void, page: (direction: 1 | -1) => void): void {
  const keys: Record<string, () => void> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    PageDown: () => page(1),
    PageUp: () => page(-1),
  }
  useEventListener(window, 'keydown', (event: KeyboardEvent) => {
    const act = keys[event.key]
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
      return
    if (event.target instanceof Element && event.target.closest(arrowControls)) return
    if (document.querySelector('[role="dialog"][aria-modal="true"]')) return
    event.preventDefault()
    act()
  })
}

interface TableHandle {
  firstInSight(): number
  rowsInSight(): number
  scrollToIndex(index: number): void
  scrollToTop(): void
  focus(): void
}

/** A list with one active row and a drawer: what `ListPane` draws. */
export interface ListPage<T> {
  rows: ComputedRef<RowList<T>>
  rowKey(row: T): string
  /** The pointer is over the rows, or left them. */
  point(over: boolean): void
  /** New rows that wait at the end while the pointer rests on the list. */
  added: ComputedRef<number>
  /** Whether a row left the list, and is shown only because the pointer rests on the rows. */
  hasLeft(row: T): boolean
  activeKey: Ref<string | null>
  activeRow: ComputedRef<T | null>
  openKey: Ref<string | null>
  openRow: ComputedRef<T | null>
  isOpen: ComputedRef<boolean>
  open(key: string): void
  close(): void
  /** Moves the active row and the drawer beside it. */
  step(distance: number): void
  toTop(): void
  isPending: Readonly<Ref<boolean>>
  isFetching: Readonly<Ref<boolean>>
  problem: ComputedRef<ErrorView | null>
  refresh(): void
  /** Function refs for the table and the search field. */
  setTable(table: unknown): void
  setSearch(field: unknown): void
}

/** Keys, active row and drawer of a list page, and their commands: j, k and arrows move, Enter opens, Escape goes back. */
export function useListPage<T>(options: {
  /** Prefix of the commands: `scheduled`. */
  id: string
  /** A row’s name in commands: `scheduled message`. */
  noun: () => string
  nouns: () => string
  query: ListQuery
  /** The rows are answers of the service. */
  ofService?: boolean
  rows(): RowList<T>
  rowKey(row: T): string
  /** Which list it is. Set where rows change on their own: those under the pointer then stay in place. */
  still?(): string
  /** Where the open row is stored, such as the address. */
  openKey?: Ref<string | null>
  /** The open row, when the filter may hide it from `rows`. */
  find?(key: string): T | null | undefined
  /** The drawer reads its content by key, listed or not. */
  byKey?: boolean
  /** False leaves the drawer unchanged when j and k move: each message costs a request. */
  follow?: boolean
  refresh?(): void
  /** Asked before another row opens or the drawer closes (null). False prevents it, such as with unsaved text. */
  mayOpen?(key: string | null): Promise<boolean>
  /** What Escape does once the drawer is closed, or null. */
  back?(): (() => void) | null
}): ListPage<T> {
  const { id, query, rowKey } = options
  const { still: stillList } = options
  const still =
    stillList &&
    useStillRows(
      () => options.rows() as readonly T[],
      rowKey,
      () => (query.isPlaceholderData?.value ? null : stillList()),
    )
  const rows: ComputedRef<RowList<T>> = still?.rows ?? computed(options.rows)
  const activeKey = ref<string | null>(null)
  const openKey = options.openKey ?? ref<string | null>(null)
  const table = shallowRef<TableHandle | null>(null)
  const search = shallowRef<{ focus(): void } | null>(null)
  const indexOf = (key: string | null) =>
    key === null ? -1 : rows.value.findIndex((row) => rowKey(row) === key)
  const rowOf = (key: string | null) => {
    const at = indexOf(key)
    return at < 0 ? null : (rows.value.at(at) ?? null)
  }
  const activeRow = computed(() => rowOf(activeKey.value))
  const openRow = computed(() =>
    openKey.value === null
      ? null
      : ((options.find ? options.find(openKey.value) : rowOf(openKey.value)) ?? null),
  )

  const isOpen = computed(() => (options.byKey ? openKey.value !== null : openRow.value !== null))

  watch(openKey, (key) => key !== null && (activeKey.value = key), { immediate: true })
  watch(rows, () => {
    if (activeRow.value === null && activeKey.value !== openKey.value) activeKey.value = null
  })

  function show(key: string | null, then = () => {}): void {
    const put = () => {
      openKey.value = key
      then()
    }
    if (options.mayOpen) void options.mayOpen(key).then((may) => may && put())
    else put()
  }

  function open(key: string): void {
    activeKey.value = key
    show(key)
  }

  const close = () => show(null, () => table.value?.focus())

  function move(distance: number, follow = options.follow ?? true): void {
    const last = rows.value.length - 1
    const at = indexOf(activeKey.value)
    const next =
      at < 0 ? Math.min(table.value?.firstInSight() ?? 0, last) : Math.max(0, Math.min(at + distance, last))
    if (next < 0) return
    table.value?.scrollToIndex(next)
    const row = rows.value.at(next)
    if (row === undefined) return
    activeKey.value = rowKey(row)
    // Enter then opens the row, and not the button used last.
    if (!isOpen.value) table.value?.focus()
    if (isOpen.value && follow) show(activeKey.value)
  }

  const back = (): (() => void) | null => {
    if (isOpen.value) return close
    const step = options.back?.()
    if (step) return step
    return activeKey.value === null ? null : () => (activeKey.value = null)
  }
  const refresh = options.refresh ?? (() => void query.refetch())

  useListKeys(move, (direction) => move(direction * (table.value?.rowsInSight() ?? 1)))
  useCommands(() => {
    const row = options.noun()
    const rows = options.nouns()
    return [
      ...(search.value === null
        ? []
        : [
            {
              id: `${id}.search`,
              title: t('list.search', { rows }),
              keys: '/',
              run: () => search.value?.focus(),
            },
          ]),
      { id: `${id}.next`, title: t('list.next', { row }), keys: 'j', run: () => move(1) },
      { id: `${id}.previous`, title: t('list.previous', { row }), keys: 'k', run: () => move(-1) },
      {
        id: `${id}.open`,
        title: t('list.open', { row }),
        keys: 'enter',
        enabled: () => activeKey.value !== null,
        run: () => void (activeKey.value !== null && open(activeKey.value)),
      },
      { id: `${id}.refresh`, title: t('list.refresh', { rows }), keys: 'r', run: refresh },
      {
        id: `${id}.close`,
        title: t(isOpen.value ? 'list.closeDetails' : 'list.back'),
        keys: 'escape',
        enabled: () => back() !== null,
        run: () => back()?.(),
      },
    ]
  })

  return {
    rows,
    rowKey,
    point: (over) => still?.point(over),
    added: still?.added ?? computed(() => 0),
    hasLeft: (row) => still?.hasLeft(row) ?? false,
    activeKey,
    activeRow,
    openKey,
    openRow,
    isOpen,
    open,
    close,
    step: (distance) => move(distance, true),
    toTop: () => table.value?.scrollToTop(),
    isPending: query.isPending,
    isFetching: query.isFetching,
    problem: useProblem(query, options),
    refresh,
    setTable: (part) => (table.value = part as TableHandle | null),
    setSearch: (part) => (search.value = part as { focus(): void } | null),
  }
}
