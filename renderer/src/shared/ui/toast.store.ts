import { useTimeoutFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { t } from '../i18n/shared.texts.ts'

/** The result of your own action. */
interface Toast {
  text: string
  action?: { label: string; run: () => void }
  /** Stays until dismissed: it reports what was not done. */
  stays?: boolean
}

const shownMs = 6_000

/** Toasts of every page, one at a time. The shell draws them. */
export const useToastStore = defineStore('toast', () => {
  const toasts = shallowRef<readonly Toast[]>([])
  const shown = computed(() => toasts.value.at(-1) ?? null)
  const timer = useTimeoutFn(dismiss, shownMs, { immediate: false })

  /** Replaces the current toast; one that stays comes back afterwards. */
  function show(text: string, options: Omit<Toast, 'text'> = {}): void {
    toasts.value = [...toasts.value.filter(({ stays }) => stays), { text, ...options }]
    resume()
  }
  const saved = () => show(t('ui.saved'))
  function dismiss(): void {
    toasts.value = toasts.value.slice(0, -1)
    resume()
  }
  function clear(): void {
    toasts.value = []
    timer.stop()
  }
  /** A hovered or focused toast stays. */
  const hold = () => timer.stop()
  function resume(): void {
    if (shown.value && !shown.value.stays) timer.start()
    else timer.stop()
  }

  return { shown, show, saved, dismiss, clear, hold, resume }
})
