import { visibleText } from './visible-text.ts'

/**
 * Languages with texts, each by its own name. Numbers and times are written as in its region: English uses 24 hours and the day before
 * the month.
 */
export const languages = {
  en: { name: 'English', region: 'en-GB' },
  es: { name: 'Español', region: 'es-ES' },
} as const
export type Language = keyof typeof languages
export const languageCodes = Object.keys(languages) as Language[]

const systemTag = Intl.NumberFormat().resolvedOptions().locale

/** The tag by which numbers and times are written. Spanish follows the system: 84.319 is a small number in Mexico. Always 24 hours. */
export function regionOf(language: Language, system = systemTag): string {
  const region = language === 'es' && system.startsWith('es-') ? system : languages[language].region
  return `${region}-u-hc-h23`
}

/** The first language with texts of a tag or list such as `fr-FR,es-MX;q=0.9`; else English. */
export function languageOf(tags: string): Language {
  const codes = tags.split(',').map((tag) => /^\s*([a-z]+)/i.exec(tag)?.[1]?.toLowerCase())
  const isLanguage = (code: string | undefined): code is Language => languageCodes.includes(code as Language)
  return codes.find(isLanguage) ?? 'en'
}

type Messages = { [key: string]: string | Messages }

/** Every key of a catalogue, with dots: `tray.open`. */
export type KeyOf<C> = {
  [K in keyof C & string]: C[K] extends string ? K : `${K}.${KeyOf<C[K]>}`
}[keyof C & string]

/** The text of a key in the current language. Numbers are written by region; `n` picks the plural form. A missing value is empty. */
export type Texts<C> = (key: KeyOf<C>, values?: Record<string, string | number>) => string

/** Texts of one catalogue for code outside the window: `{name}` is a value, `one | many` are plural forms, as vue-i18n writes them. */
export function createTexts<C extends Messages>(
  catalogues: Record<Language, C>,
  language: () => Language,
): Texts<C> {
  return (key, values = {}) => {
    const message = key
      .split('.')
      .reduce<string | Messages>((group, name) => (group as Messages)[name]!, catalogues[language()])
    return fillMessage(message as string, values, language())
  }
}

/** An ISO time of the core. Texts of files that look like one are quoted as they are. */
export interface LocalTime {
  readonly time: string
}
const isTime = (value: unknown): value is LocalTime =>
  typeof value === 'object' && value !== null && 'time' in value
const minute = { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' } as const

/** A value as text: a number with at most one decimal, a time in local time. Control characters become visible. */
export const valueText = (value: unknown, language: Language): string =>
  typeof value === 'number'
    ? value.toLocaleString(regionOf(language), { maximumFractionDigits: 1 })
    : isTime(value)
      ? new Date(value.time).toLocaleString(regionOf(language), minute)
      : visibleText(String(value ?? ''))

/** Fills `{name}` with its value, as `written` formats it. `n` picks between `one | many`, as vue-i18n does in the window. */
export function fillMessage(
  message: string,
  values: Readonly<Record<string, unknown>>,
  language: Language,
  written: typeof valueText = valueText,
): string {
  const forms = message.split(' | ')
  const { n } = values
  const isMany = typeof n === 'number' && new Intl.PluralRules(language).select(n) !== 'one'
  return forms[isMany ? forms.length - 1 : 0]!.replace(/\{(\w+)\}/g, (_match, name: string) =>
    written(values[name], language),
  )
}
