import type errors from '#contract/errors.en.json'
import type { ErrorView } from '#contract/define.ts'
import { errorPhrase } from '#contract/errors.ts'
import type phrases from '#contract/phrases.en.json'
import { isPhrase, type PhraseValue, type Said } from '#contract/phrases.ts'
import { formatDecimal } from '../format/numbers.ts'
import { formatTime } from '../format/time.ts'
import { startCatalogue } from './catalogue.ts'

const tError = startCatalogue<typeof errors>('errors')
const tPhrase = startCatalogue<typeof phrases>('phrases')

type PhraseKeyOf<T extends (...args: never[]) => string> = Parameters<T>[0]

function written(value: PhraseValue): string | number {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isInteger(value) ? value : formatDecimal(value)
  if (isPhrase(value)) return say(value)
  return 'time' in value ? formatTime(value.time, 'minute') : value.map(say).join(', ')
}

/** A phrase of the core in the current language. Plain text stays as received. Call it like `t`. */
export function say(said: Said): string {
  if (typeof said === 'string') return said
  const { key, ...named } = said
  const values = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, written(value)]))
  return key.startsWith('error.')
    ? tError(key.slice('error.'.length) as PhraseKeyOf<typeof tError>, values)
    : tPhrase(key as PhraseKeyOf<typeof tPhrase>, values)
}

/** An error in the current language. Call it like `t`. */
export const errorText = (error: Pick<ErrorView, 'code' | 'data'>): string => say(errorPhrase(error))
