import { type Language, languages, regionOf } from '#contract/texts.ts'
import { shallowRef } from 'vue'

const isLanguage = (code: unknown): code is Language => typeof code === 'string' && code in languages

/** The chosen language, or the system’s first one with texts, else English. */
export const languageOf = (choice: unknown): Language =>
  isLanguage(choice)
    ? choice
    : (navigator.languages.map((tag) => tag.split('-')[0]!.toLowerCase()).find(isLanguage) ?? 'en')

/** Where the window remembers its appearance, for the next start. */
export const appearanceKey = 'switchboard.appearance'

/** The last language. Read before the first catalogue loads, so that only its texts load. */
function firstLanguage(): Language {
  if (typeof window === 'undefined') return 'en'
  try {
    return languageOf(JSON.parse(localStorage.getItem(appearanceKey) ?? '{}').language)
  } catch {
    return languageOf('system')
  }
}

/** The window’s language. `setLanguage` changes it once its texts are loaded. */
export const locale = shallowRef(firstLanguage())
if (typeof document !== 'undefined') document.documentElement.lang = locale.value

/** A formatter of the current language, created once per language. */
export function byLocale<F>(create: (locale: string) => F): () => F {
  const made = new Map<string, F>()
  return () => {
    const known = made.get(locale.value)
    if (known) return known
    const formatter = create(regionOf(locale.value))
    made.set(locale.value, formatter)
    return formatter
  }
}
