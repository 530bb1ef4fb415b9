/**
 * True for a plain click on the name of a row, which opens its details: not with Ctrl, Shift or Alt held, and not at the end of
 * drawing over its text with the mouse to copy it.
 */
export const opensRow = ({ ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean =>
  !ctrlKey && !metaKey && !shiftKey && !altKey && (getSelection()?.isCollapsed ?? true)
