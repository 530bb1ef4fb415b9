import { type PropType, type Slots, defineComponent, h } from 'vue'
import { blockedNode, phoneNode } from '../people/phone-text.ts'
import { visibleText } from '../text/visible-controls.ts'
import AppIcon from '../ui/AppIcon.vue'
import { type Column, isApart } from './columns.ts'

/** Letters of scripts written from right to left (Unicode blocks). */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Digits stand below each other, but not in words with a hyphen: `base.css`. */
const isFigures = (text: string | null | undefined) => !!text && /\d/.test(text) && !text.includes('-')

/** Only text from right to left needs an element: others cost one for each cell. */
function isolated(text: string) {
  const shown = visibleText(text)
  return rightToLeft.test(shown) ? h('bdi', shown) : shown
}

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
    return columns.map((column, at) => {
      const look = column.status?.(row)
      const phone = column.phone?.(row)
      const text = column.text?.(row)
      const content =
        cells[`cell-${column.id}`]?.({ row }) ??
        (phone
          ? [phoneNode(phone), blockedNode(column.blocked?.(row) ?? null)]
          : column.text || column.phone
            ? [isolated(text ?? '–')]
            : [])
      return h(
        'span',
        {
          key: column.id,
          role: 'gridcell',
          class: [
            column.fits ? 'nowrap' : 'truncate',
            column.numeric && 'num',
            isApart(columns, at) && 'apart',
            isFigures(text) && 'figures',
            column.muted && 'muted',
            look && 'status',
            look?.tone,
            column.tone?.(row),
          ],
          // A column that grows may be too narrow for it.
          title: column.hint?.(row) ?? look?.label ?? (column.grow && text ? visibleText(text) : undefined),
        },
        look ? [h(AppIcon, { name: look.icon, sizePx: 12 }), look.label, ...content] : content,
      )
    })
  },
})
