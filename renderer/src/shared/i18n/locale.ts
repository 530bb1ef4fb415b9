import { shallowRef } from 'vue'

/**
 * Languages with texts, each by its own name. The region decides how numbers and times are written: English uses 24 hours and the day
 * before the month.
 */
export const languages = {
  en: { name: 'English', region: 'en-GB' },
  es: { name: 'Español', region: 'es-ES' },
} as const
export type Language = keyof typeof languages

/** The language of the window. `setLanguage` changes it, once its texts are loaded. */
export const locale = shallowRef<Language>('en')

/** A formatter of the current language, made once for each. */
export function byLocale<F>(create: (locale: string) => F): () => F {
  const made = new Map<string, F>()
  return () => {
    const known = made.get(locale.value)
    if (known) return known
    const formatter = create(languages[locale.value].region)
    made.set(locale.value, formatter)
    return formatter
  }
}
