import { type Language, languages } from '../../contract/texts.ts'
import en from './csv.en.json' with { type: 'json' }
import es from './csv.es.json' with { type: 'json' }

/**
 * Titles of exported columns, without accents as scripts like to name them. Cells such as `sent` or `yes` are values for filters and
 * stay the same in every language.
 */
const titles = { en, es }
export type CsvColumn = keyof typeof en

/** The titles of columns in a language. Code that reads a file of ours back accepts those of every language: see `isTitleOf`. */
export const titlesOf = (columns: readonly CsvColumn[], language: Language = 'en'): string[] =>
  columns.map((column) => titles[language][column])

/** True if `title` names one of these columns in any language. */
export const isTitleOf = (title: string | undefined, ...columns: readonly CsvColumn[]): boolean =>
  languages.some((language) => columns.some((column) => titles[language][column] === title))
