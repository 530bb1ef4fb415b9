import errorsEn from './errors.en.json' with { type: 'json' }
import errorsEs from './errors.es.json' with { type: 'json' }
import en from './phrases.en.json' with { type: 'json' }
import es from './phrases.es.json' with { type: 'json' }
import { fillMessage, type KeyOf, type Language, type LocalTime, valueText } from './texts.ts'

/** Every error of the core. `errors.<language>.json` has the texts: what happened, what was kept and what to do. */
export type ErrorCode = keyof typeof errorsEn

/** A key of `phrases.<language>.json`, such as `phone.short`, or an error of `errors.<language>.json`. */
export type PhraseKey = KeyOf<typeof en> | `error.${ErrorCode}`

/** Lists are written with commas. Ids, ports and years are texts; `n` picks the plural form. */
export type PhraseValue = string | number | LocalTime | Phrase | readonly Phrase[]

/** What the core says: a key of its catalogues, and the values that the text names. */
export interface Phrase {
  readonly key: PhraseKey
  readonly [name: string]: PhraseValue
}

/** A phrase, or text shown as received: from the service or the system. */
export type Said = string | Phrase

type Groups = Record<string, Record<string, string> | undefined>
const phrases: Record<Language, Groups> = { en, es }
const errors: Record<Language, Record<string, string>> = { en: errorsEn, es: errorsEs }

export const isPhrase = (value: unknown): value is Phrase =>
  typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string'

/** Why a number is skipped that is on hold, and not on the DNC list. */
export const holdReasons = ['dnc.held', 'phone.otherOnHold', 'phone.maybeOnHold'] satisfies PhraseKey[]
export const isHoldReason = (value: unknown): boolean =>
  isPhrase(value) && holdReasons.some((key) => key === value.key)

/** Whether a schema's message names a phrase. */
export function isPhraseKey(text: string): text is PhraseKey {
  const [group = '', name = ''] = text.split('.')
  return phrases.en[group]?.[name] !== undefined
}

/** A phrase in a language, for files, notifications and the terminal. The window has `say`. */
export function textIn(language: Language, said: Said): string {
  if (typeof said === 'string') return said
  const [group, name] = said.key.split('.') as [string, string]
  const texts = group === 'error' ? errors[language] : phrases[language][group]
  const message = texts?.[name]
  return message === undefined ? said.key : fillMessage(message, said, language, written)
}

function written(value: unknown, language: Language): string {
  if (Array.isArray(value)) return value.map((one) => written(one, language)).join(', ')
  return isPhrase(value) ? textIn(language, value) : valueText(value, language)
}

/** In English, for logs and for programs. */
export const englishText = (said: Said): string => textIn('en', said)

/** As stored: a phrase as JSON, other text as it is. */
export const storedText = (said: Said): string => (typeof said === 'string' ? said : JSON.stringify(said))

/** Reads what `storedText` wrote. */
export function saidOf(stored: string): Said {
  if (!stored.startsWith('{"key":"')) return stored
  try {
    const value: unknown = JSON.parse(stored)
    return isPhrase(value) ? value : stored
  } catch {
    return stored
  }
}
