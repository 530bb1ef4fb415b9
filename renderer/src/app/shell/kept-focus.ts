import { useEventListener, useMutationObserver } from '@vueuse/core'

const isUsable = (element: HTMLElement) => element.isConnected && !element.matches(':disabled')

/**
 * When the control in use is removed or disabled, the nearest part around it that can have the focus takes it, and a control that is
 * enabled again takes it back. Otherwise the browser drops it, and a screen reader starts again at the top of the page.
 */
export function useKeptFocus(): void {
  let last: HTMLElement | null = null
  let around: HTMLElement[] = []
  let keeper: HTMLElement | undefined

  useEventListener(document, 'focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target === keeper) return
    keeper = undefined
    last = target
    const own: HTMLElement[] = []
    for (let part = target.parentElement; part; part = part.parentElement)
      if (part.tabIndex >= 0 || part.hasAttribute('tabindex')) own.push(part)
    // Below a dialog is what it opened over.
    around = target.closest('.n-modal-container') ? [...own, ...around] : own
  })

  useMutationObserver(
    document.body,
    () => {
      const { activeElement: active } = document
      if (!last || (active && active !== document.body && active !== last && active !== keeper)) return
      if (keeper) {
        if (active === keeper && isUsable(last)) last.focus({ preventScroll: true })
      } else if (!isUsable(last)) {
        keeper = around.find((part) => part.checkVisibility() && isUsable(part))
        keeper?.focus({ preventScroll: true })
      }
    },
    { childList: true, subtree: true, attributeFilter: ['disabled'] },
  )
}
