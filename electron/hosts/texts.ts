import { createTexts, type Language, languageOf } from '../contract/texts.ts'
import en from './start.en.json' with { type: 'json' }
import es from './start.es.json' with { type: 'json' }

let language = languageOf(Intl.DateTimeFormat().resolvedOptions().locale)

/** The language of a host's texts: the system's until `setHostLanguage`. */
export const hostLanguage = () => language

export function setHostLanguage(next: Language): void {
  language = next
}

/** Texts of a start, its failures and the sign-in page. */
export const startText = createTexts({ en, es }, hostLanguage)
