import type { ColumnTarget } from '../../contract/imports.ts'
import { fold } from '../../lib/fold.ts'

/** What columns of contact lists are called, in the languages such lists come in; folded. */
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
  ['note', /^(note|notes|notiz|bemerkung|comment|kommentar)/],
]
/** Longest key of a tag that a column can be read as, characters: the contract's limit. */
const tagKeyMax = 200
/** Of several columns of numbers, what the one to send to is called. */
const mobileName = /mobil|handy|cell|gsm|whatsapp|sms/
const phoneShape = /^\+?[\d\s().\-/]{6,20}$/
/** One to five words of letters, as people are called. */
const nameShape = /^\p{L}[\p{L}\p{M}'’.,-]*(?: [\p{L}\p{M}'’.,-]+){0,4}$/u
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Columns that our own export writes and that say nothing about a contact elsewhere. */
const ours = new Set([
  'state',
  'service_id',
  'dnc',
  'held',
  'created_at',
  'updated_at',
  'row',
  'outcome',
  'reason',
])
const isOurs = (title: string): boolean => ours.has(fold(title.trim()))

/**
 * A guess for each column by its name, and by its values where the name says nothing. Exactly one is the phone, if any can be. Where the
 * columns have no names, the one that reads most like names of people is the name.
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
    // Our own export writes `tag.` and the exact key, spaces and line breaks included.
    const tagKey = (/^tag\.([^]+)$/.exec(title) ?? /^tags?[.:_](.+)$/i.exec(title.trim()))?.[1]
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
  // Of two words, and seldom the same: a name rather than a town.
  const likeness = (at: number) => share(at, /\p{L} \p{L}/u) + new Set(columns[at]).size / columns[at]!.length
  const nameAt = guessed
    .flatMap(({ to }, at) => (to === 'ignore' && share(at, nameShape) > 0.8 ? [at] : []))
    .toSorted((a, b) => likeness(b) - likeness(a))[0]
  return guessed.map((guess, at) => (at === nameAt ? { to: 'name' } : guess))
}

/** The saved settings for reading the numbers of a file or list. An earlier version saved the region only. */
export const readingOf = (kept: {
  region: string
  doubleZeroIsPlus?: boolean | undefined
  ownCodeIsPlus?: boolean | undefined
}): { region: string; doubleZeroIsPlus: boolean; ownCodeIsPlus: boolean } => ({
  region: kept.region,
  doubleZeroIsPlus: kept.doubleZeroIsPlus ?? false,
  ownCodeIsPlus: kept.ownCodeIsPlus ?? false,
})

/** Beside a first name, a column called "Name" holds the last one; beside both, it holds what they hold. */
function nameParts(guesses: readonly ColumnTarget[]): ColumnTarget[] {
  const has = (target: ColumnTarget['to']) => guesses.some(({ to }) => to === target)
  if (!has('first-name')) return [...guesses]
  const name = has('last-name') ? 'ignore' : 'last-name'
  return guesses.map((guess) => (guess.to === 'name' ? { to: name } : guess))
}
