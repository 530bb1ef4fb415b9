import { AppError } from '../../contract/errors.ts'
import type { Language } from '../../contract/texts.ts'
import type { ColumnTarget } from '../../contract/people/imports.ts'
import { isTitleOf } from '../../jobs/run/csv-headers.ts'
import { type GivenFormat, inspectTable } from '../../jobs/table/read-table.ts'
import { reportColumns } from '../../jobs/table/rejected-rows.ts'
import { fold } from '../../lib/fold.ts'
import type { Reading } from '../../lib/phone/guess-reading.ts'
import type { FileStore } from '../platform/files/file-store.ts'

/** Reads the start of an uploaded table. Throws IMPORT_FILE_EMPTY, IMPORT_FILE_NOT_TEXT. */
export function inspectFile(store: FileStore, fileId: string, language?: Language, format?: GivenFormat) {
  const { path, name, sizeBytes } = store.complete(fileId)
  if (sizeBytes === 0) throw new AppError('IMPORT_FILE_EMPTY', { name })
  const found = inspectTable(path, format, language)
  if (found.binary) throw new AppError('IMPORT_FILE_NOT_TEXT', { name, detail: { key: 'csv.binary' } })
  if (found.header.length === 0) throw new AppError('IMPORT_FILE_EMPTY', { name })
  return { path, name, sizeBytes, found }
}

/** Common column titles of contact lists in several languages, folded. */
const names: [ColumnTarget['to'], RegExp][] = [
  ['first-name', /^(vorname|prenom|voornaam|(first|given|fore)[\s_-]?name)$/],
  ['last-name', /^(nachname|familienname|apellidos?|achternaam|cognome|(last|family|sur)[\s_-]?name)$/],
  [
    'phone',
    /^(?!telefax)(phone|mobile|cell|msisdn|tel|telefon|telephone|telefono|handy|mobil|number|nummer|numero|rufnummer|gsm|whatsapp)/,
  ],
  ['email', /^(e-?mail|mail|correo|courriel)/],
  ['name', /(^|[\s_-])(name|nombre|nom|nome|contact|kontakt|kunde|customer)$|^full[\s_-]?name/],
  ['tags', /^(tags?|labels?|schlagworte?|schlagworter|etiquetas?|etiquettes?)$/],
  ['note', /^(note|notes|notiz|bemerkung|comment|kommentar|nota|observacion)/],
]
/** Longest tag key, in characters (the contract's limit). */
const tagKeyMax = 200
/** Title of the column to prefer when several hold phone numbers. */
const mobileName = /mobil|handy|cell|gsm|whatsapp|sms/
const phoneShape = /^\+?[\d\s().\-/]{6,20}$/
/** One to five words of letters. */
const nameShape = /^\p{L}[\p{L}\p{M}'’.,-]*(?: [\p{L}\p{M}'’.,-]+){0,4}$/u
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Columns of our own export that are no contact data. */
const ours = [
  ...(['state', 'service_id', 'dnc', 'held', 'created_at', 'updated_at'] as const),
  ...reportColumns,
]
const isOurs = (title: string): boolean => isTitleOf(fold(title.trim()), ...ours)
/** A column of our own export with one tag: the title of `tag`, a dot, and the exact key, with its spaces and line breaks. */
const tagTitle = /^(\w+)\.([^]+)$/

/**
 * Guesses the meaning of each column from its title, or from its values when the title says nothing. At most one
 * column is the phone. Without a header row, the column most like names becomes the name.
 */
export function guessColumns(
  header: readonly string[],
  sample: readonly string[][],
  hasHeader: boolean,
): ColumnTarget[] {
  const columns = header.map((_, at) =>
    sample.map((cells) => cells[at]?.trim() ?? '').filter((cell) => cell !== ''),
  )
  const share = (at: number, shape: RegExp) => {
    const values = columns[at]!
    return values.length === 0 ? 0 : values.filter((cell) => shape.test(cell)).length / values.length
  }
  const guesses: ColumnTarget[] = header.map((title, at) => {
    const folded = fold(title.trim())
    if (isOurs(title)) return { to: 'ignore' }
    const [, prefix, ownKey] = tagTitle.exec(title) ?? []
    const tagKey = isTitleOf(prefix, 'tag') ? ownKey : /^tags?[.:_](.+)$/i.exec(title.trim())?.[1]
    if (tagKey !== undefined) return tagKey.length > tagKeyMax ? { to: 'ignore' } : { to: 'tag', tagKey }
    const named = names.find(([, shape]) => shape.test(folded))?.[0]
    if (named && named !== 'tag') return { to: named }
    if (share(at, emailShape) > 0.8) return { to: 'email' }
    return { to: 'ignore' }
  })
  const phones = guesses.flatMap(({ to }, at) => (to === 'phone' ? [at] : []))
  const candidates =
    phones.length > 0
      ? phones
      : header.map((_, at) => at).filter((at) => guesses[at]!.to === 'ignore' && !isOurs(header[at]!))
  const phoneScore = (at: number) => {
    const part = share(at, phoneShape)
    return part + (part > 0.5 && mobileName.test(fold(header[at]!)) ? 1 : 0)
  }
  const best = candidates.toSorted((a, b) => phoneScore(b) - phoneScore(a))[0]
  const guessed = guesses.map((guess, at): ColumnTarget => {
    if (at === best && (phones.length > 0 || share(at, phoneShape) > 0.5)) return { to: 'phone' }
    return guess.to === 'phone' ? { to: 'ignore' } : guess
  })
  if (hasHeader) return nameParts(guessed)
  // Values with two words and few repeats are more likely names than towns.
  const likeness = (at: number) => share(at, /\p{L} \p{L}/u) + new Set(columns[at]).size / columns[at]!.length
  const nameAt = guessed
    .flatMap(({ to }, at) => (to === 'ignore' && share(at, nameShape) > 0.8 ? [at] : []))
    .toSorted((a, b) => likeness(b) - likeness(a))[0]
  return guessed.map((guess, at) => (at === nameAt ? { to: 'name' } : guess))
}

/** The saved options for reading phone numbers. */
export const readingOf = (saved: Reading): Reading => ({
  region: saved.region,
  hasCountryCodes: saved.hasCountryCodes,
})

/** Next to a first name, a "Name" column holds the last name; next to both, it repeats them. */
function nameParts(guesses: readonly ColumnTarget[]): ColumnTarget[] {
  const has = (target: ColumnTarget['to']) => guesses.some(({ to }) => to === target)
  if (!has('first-name')) return [...guesses]
  const name = has('last-name') ? 'ignore' : 'last-name'
  return guesses.map((guess) => (guess.to === 'name' ? { to: name } : guess))
}
