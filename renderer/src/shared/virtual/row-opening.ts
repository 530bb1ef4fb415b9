/** Controls in a row that handle their own clicks. */
const controls = 'button, a[href], input, label, summary, [role="button"]'

/** True for a click that opens its row: not on a control, not with a modifier key, not after selecting text. */
export function opensRow({ target, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  if (ctrlKey || metaKey || shiftKey || altKey) return false
  if (target instanceof Element && target.closest(controls)) return false
  return getSelection()?.isCollapsed ?? true
}
