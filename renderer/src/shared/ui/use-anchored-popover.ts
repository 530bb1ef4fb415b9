import { useEventListener } from '@vueuse/core'
import { type ShallowRef, shallowRef } from 'vue'

/** Minimum distance of a panel to the window’s edges and to its anchor, pixels. */
const edgePx = 8
const gapPx = 4

/**
 * A platform popover beside its button: below it if there is room, else above, always inside the window and at least as wide. Bind `onBeforeToggle` and
 * `onToggle` to the panel. `open` lets its content exist only while visible.
 */
export function useAnchoredPopover(
  anchor: Readonly<ShallowRef<HTMLElement | null>>,
  panel: Readonly<ShallowRef<HTMLElement | null>>,
) {
  const open = shallowRef(false)

  function onBeforeToggle(event: Event): void {
    if ((event as ToggleEvent).newState === 'open') open.value = true
  }

  function onToggle(event: Event): void {
    open.value = (event as ToggleEvent).newState === 'open'
    if (open.value) place()
  }

  /** Again after the content has grown. */
  function place(): void {
    if (!anchor.value || !panel.value) return
    const at = anchor.value.getBoundingClientRect()
    panel.value.style.minWidth = `${at.width}px`
    const { offsetWidth: width, offsetHeight: height } = panel.value
    const below = window.innerHeight - at.bottom - gapPx - edgePx
    const above = at.top - gapPx - edgePx
    const under = height <= below || below >= above
    const top = under ? at.bottom + gapPx : at.top - gapPx - Math.min(height, above)
    panel.value.style.maxHeight = `${under ? below : above}px`
    panel.value.style.top = `${Math.max(edgePx, top)}px`
    panel.value.style.left = `${Math.max(edgePx, Math.min(at.left, window.innerWidth - width - edgePx))}px`
  }

  useEventListener(window, 'resize', () => open.value && place())

  return {
    open,
    place,
    onBeforeToggle,
    onToggle,
    show: () => panel.value?.showPopover(),
    hide: () => panel.value?.hidePopover(),
  }
}
