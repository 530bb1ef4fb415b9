import { type PropType, type Slots, defineComponent, h } from 'vue'
import { visibleText } from '../text/visible-controls.ts'
import type { Column } from './columns.ts'

/**
 * The cells of one row. A separate component whose slots are a constant property: a row redraws when it or a value in its cells changes,
 * not whenever the page does.
 */
export const DataRow = defineComponent({
  name: 'DataRow',
  props: {
    /** Undefined while not loaded. */
    row: { type: null as unknown as PropType<unknown>, default: undefined as unknown },
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
