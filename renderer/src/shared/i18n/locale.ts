import { shallowRef } from 'vue'

/** The language of the window, as an ISO 639 code. `setLanguage` changes it, once its texts are loaded. */
export const locale = shallowRef('en')

/** Regional forms of numbers and times. English uses 24 hours and the day before the month. */
const regions: Record<string, string> = { en: 'en-GB', es: 'es-ES' }

/** A formatter of the current language, made once for each. */
export function byLocale<F>(create: (locale: string) => F): () => F {
  const made = new Map<string, F>()
  return () => {
    const known = made.get(locale.value)
    if (known) return known
    const formatter = create(regions[locale.value] ?? locale.value)
    made.set(locale.value, formatter)
    return formatter
  }
}
