import { textIn } from '../../contract/phrases.ts'
import { type Language, languageCodes } from '../../contract/texts.ts'
import en from './csv.en.json' with { type: 'json' }
import es from './csv.es.json' with { type: 'json' }

/**
 * Titles of exported columns, without accents so that scripts can name them easily. Cells such as `sent` or `yes` are values for filters and
 * stay the same in every language.
 */
const titles = { en, es }
export type CsvColumn = keyof typeof en

/** The titles of columns in a language. Code that reads our own files accepts those of every language: see `isTitleOf`. */
export const titlesOf = (columns: readonly CsvColumn[], language: Language = 'en'): string[] =>
  columns.map((column) => titles[language][column])

/** The name of a column without a title, counted from 0: `Column 1`. */
export const columnName = (at: number, language: Language = 'en'): string =>
  textIn(language, { key: 'table.column', number: String(at + 1) })

/** Whether a title is what `columnName` gives in any language. */
export const isColumnName = (title: string | undefined, at: number): boolean =>
  languageCodes.some((language) => columnName(at, language) === title)

/** True if `title` names one of these columns in any language. */
export const isTitleOf = (title: string | undefined, ...columns: readonly CsvColumn[]): boolean =>
  languageCodes.some((language) => columns.some((column) => titles[language][column] === title))
