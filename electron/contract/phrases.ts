import errors from './errors.en.json' with { type: 'json' }
import english from './phrases.en.json' with { type: 'json' }
import { fillMessage } from './texts.ts'
import { visibleText } from './visible-text.ts'

type KeyOf<C> = {
  [K in keyof C & string]: C[K] extends string ? K : `${K}.${KeyOf<C[K]>}`
}[keyof C & string]

/** A key of `phrases.<language>.json`, such as `phone.short`, or an error of `errors.<language>.json`. */
export type PhraseKey = KeyOf<typeof english> | `error.${keyof typeof errors}`

/** Lists are written with commas. Ids, ports and years are texts; `n` picks the plural form. */
export type PhraseValue = string | number | Phrase | readonly Phrase[]

/** What the core says: a key of its catalogues, and the values that the text names. */
export interface Phrase {
  readonly key: PhraseKey
  readonly [name: string]: PhraseValue
}

/** A phrase, or text that is shown as it came: from the service, the system, or stored by an older version. */
export type Said = string | Phrase

const groupsOf = english as Record<string, Record<string, string> | undefined>

export const isPhrase = (value: unknown): value is Phrase =>
  typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string'

/** Whether a schema's message names a phrase. */
export function isPhraseKey(text: string): text is PhraseKey {
  const [group = '', name = ''] = text.split('.')
  return groupsOf[group]?.[name] !== undefined
}

/** Fills a message in English; values may be phrases. */
export const fillText = (message: string, values: Readonly<Record<string, unknown>>): string =>
  fillMessage(message, values, 'en', textOf)

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (isPhrase(value)) return englishText(value)
  return typeof value === 'number'
    ? value.toLocaleString('en', { maximumFractionDigits: 1 })
    : visibleText(String(value ?? ''))
}

/** In English, for logs, files and the terminal. */
export function englishText(said: Said): string {
  if (typeof said === 'string') return said
  const [group, name] = said.key.split('.') as [string, string]
  const texts: Record<string, string> | undefined = group === 'error' ? errors : groupsOf[group]
  const message = texts?.[name]
  return message === undefined ? said.key : fillText(message, said)
}

/** As stored: a phrase as JSON, other text as it is. */
export const storedText = (said: Said): string => (typeof said === 'string' ? said : JSON.stringify(said))

/** Reads what `storedText` or an older version wrote. */
export function saidOf(stored: string): Said {
  if (!stored.startsWith('{"key":"')) return stored
  try {
    const value: unknown = JSON.parse(stored)
    return isPhrase(value) ? value : stored
  } catch {
    return stored
  }
}
