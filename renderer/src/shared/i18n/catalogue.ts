import { type Language, languageCodes } from '#contract/texts.ts'
import { markRaw } from 'vue'
import { createI18n } from 'vue-i18n'
import { formatCount } from '../format/numbers.ts'
import { visibleText } from '../text/visible-controls.ts'
import { byLocale, languageOf, locale } from './locale.ts'

/** Every key of a catalogue, with dots: `retention.title`. */
type KeyOf<C> = {
  [K in keyof C & string]: C[K] extends string ? K : `${K}.${KeyOf<C[K]>}`
}[keyof C & string]

/**
 * The text of a key in the current language. Numbers are written by locale; the one named `n` picks the plural form. Control
 * characters in values become visible. Reactive: call it in a template, a computed or a getter, not once at definition.
 */
type Translate<C> = (key: KeyOf<C>, values?: Record<string, string | number>) => string

/** The result of `import.meta.glob('./x.*.json')`. */
type Files = Record<string, () => Promise<unknown>>

const fallback: Language = 'en'
/** The language chosen last. Its texts may still be loading. */
let requested: Language = locale.value
/** All loaded texts. A loaded text never changes, so none is copied or observed, as vue-i18n’s own merge does. */
const messages = Object.fromEntries(languageCodes.map((code) => [code, markRaw({})])) as Record<
  Language,
  Record<string, unknown>
>
const i18n = createI18n({
  legacy: false,
  locale: locale.value,
  fallbackLocale: fallback,
  fallbackWarn: false,
  missingWarn: false,
  messages: messages as Record<never, never>,
})
/** For `<I18nT :i18n="composer" keypath="catalogue.key">`: a sentence with a component in it. */
export const composer = i18n.global
const catalogues = new Map<string, Files>()
/** One file for all texts of a start: modules that each await their own load them one after another (22 requests). */
const startTexts = import.meta.glob<Record<string, unknown>>('./start-texts.*.ts', { import: 'default' })

/** A catalogue of the start, whose texts are loaded: `shell`, `overview-page`. */
export function startCatalogue<C>(name: string): Translate<C> {
  // Most texts have no values, and rows of a list request them often.
  const plain = byLocale(() => new Map<string, string>())
  return (key, values) => {
    const path = `${name}.${key}`
    if (values === undefined) {
      const texts = plain()
      const known = texts.get(key) ?? i18n.global.t(path)
      texts.set(key, known)
      return known
    }
    const written = Object.fromEntries(
      Object.entries(values).map(([field, value]) => [
        field,
        typeof value === 'number' ? formatCount(value) : visibleText(value),
      ]),
    )
    const { n } = values
    return typeof n === 'number' ? i18n.global.t(path, written, n) : i18n.global.t(path, written)
  }
}

/**
 * A page's catalogue and its texts in the current language. Await it at the top of a module (`settings.texts.ts`), so that importers
 * have its texts. A language without a file falls back to English.
 */
export async function loadCatalogue<C>(name: string, files: Files): Promise<Translate<C>> {
  catalogues.set(name, files)
  await Promise.all(
    [...new Set([locale.value, requested])].map((language) => loadTexts(name, files, language)),
  )
  return startCatalogue(name)
}

async function loadTexts(name: string, files: Files, language: Language): Promise<void> {
  const file = (of: string) => Object.entries(files).find(([path]) => languageOfFile(path) === of)?.[1]
  const as = file(language) ? language : fallback
  messages[as][name] ??= ((await file(as)?.()) as { default: unknown } | undefined)?.default
}

async function loadStartTexts(language: Language): Promise<void> {
  if ('shell' in messages[language]) return
  const texts = await startTexts[`./start-texts.${language}.ts`]!()
  for (const [path, catalogue] of Object.entries(texts)) messages[language][nameOfFile(path)] = catalogue
}

/** `../../features/overview/index.en.json` → `overview-page`, `../../app/shell.en.json` → `shell`. */
function nameOfFile(path: string): string {
  const [folder, file] = path.split('/').slice(-2)
  const name = file!.split('.')[0]!
  return name === 'index' ? `${folder}-page` : name
}

/** `./settings.es.json` → `es`. */
const languageOfFile = (path: string) => path.split('.').at(-2)!

/** Loads the texts of every catalogue in use, then shows them. `system` follows the system. */
export async function setLanguage(choice: Language | 'system'): Promise<void> {
  const language = languageOf(choice)
  requested = language
  await Promise.all([
    loadStartTexts(language),
    ...[...catalogues].map(([name, files]) => loadTexts(name, files, language)),
  ])
  if (language !== requested) return
  i18n.global.locale.value = language
  locale.value = language
  document.documentElement.lang = language
}

await loadStartTexts(locale.value)
