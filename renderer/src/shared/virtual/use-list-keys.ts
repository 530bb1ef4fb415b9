import { useEventListener } from '@vueuse/core'

/** Controls that use the arrow keys themselves. */
const arrowControls =
  'input, select, textarea, [contenteditable="true"], [role="dialog"], [tabindex="0"]:not([role="grid"])'

/**
 * Arrow and page keys for the page’s list, unless the focused control needs them. `step` moves by rows, `page` by screens; 1 is towards
 * older rows.
 */
export function useListKeys(step: (distance: 1 | -1) => void, page: (direction: 1 | -1) => void): void {
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
