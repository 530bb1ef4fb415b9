import { computed } from 'vue'
import { useAnswer } from '../query/use-answer.ts'

/** What the host can do, such as `window.tray`; null until the core says. */
export function useCapabilities() {
  const about = useAnswer(
    () => ['about'],
    (client) => client.settings.about(),
    () => ({ staleTime: Infinity }),
  )
  return computed(() => about.data.value?.capabilities ?? null)
}
