import { type PropType, type Slots, defineComponent, h } from 'vue'
import { visibleText } from '../text/visible-controls.ts'
import type { Column } from './columns.ts'

/**
 * The cells of one row. A component of its own, and the page's slots come as a property that never changes: the row is drawn again when
 * it or a value in its cells changes, not whenever the page is.
 */
export const DataRow = defineComponent({
  name: 'DataRow',
  props: {
    /** Undefined while it is not loaded. */
    row: { type: null as unknown as PropType<unknown>, default: undefined },
    columns: { type: Array as PropType<readonly Column<never>[]>, required: true },
    cells: { type: Object as PropType<Slots>, required: true },
  },
  setup: (props) => () => {
    const { columns, cells } = props
    const row = props.row as never
    if (row === undefined) return h('span', { role: 'gridcell', class: 'waiting', 'aria-hidden': true })
    return columns.map((column) =>
      h(
        'span',
        {
          key: column.id,
          role: 'gridcell',
          class: ['truncate', { num: column.numeric, muted: column.muted }, column.tone?.(row)],
          title: column.hint?.(row),
        },
        cells[`cell-${column.id}`]?.({ row }) ??
          (column.text && [h('bdi', visibleText(column.text(row) ?? '–'))]),
      ),
    )
  },
})
