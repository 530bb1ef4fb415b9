import { fold } from '../../lib/fold.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import type { BookRow } from './book-types.ts'

type Searched = Pick<BookRow, 'name' | 'digits' | 'email' | 'tagsJson'>

/** Texts of tags are few among many contacts. */
const tagTextsKept = 20_000

/** Tags that cannot be read hold no text: the contact is found by all else. */
function tagsText(tagsJson: string): string {
  return Object.entries(readTagsJson(tagsJson) ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join('\n')
}

let foldedTagTexts = new Map<string, string>()

function foldedTags(tagsJson: string): string {
  if (tagsJson === '{}') return ''
  let text = foldedTagTexts.get(tagsJson)
  if (text === undefined) {
    if (foldedTagTexts.size >= tagTextsKept) foldedTagTexts = new Map()
    foldedTagTexts.set(tagsJson, (text = fold(tagsText(tagsJson))))
  }
  return text
}

/** The text of a contact that is searched: name, number with its plus, e-mail and tags, folded, a line each. */
export const searchTextOf = ({ name, digits, email, tagsJson }: Searched): string =>
  `${fold(name)}\n+${digits}\n${fold(email)}\n${foldedTags(tagsJson)}`

/** A number as people write it: with a plus, in brackets, or with the zeros that are dialled before it. */
const writtenNumber = /^[+(0][\d\s().\-/]{4,}$/

/**
 * What a reader types, as it is looked for: a number without what stands between its digits and without the zeros before it, which finds
 * all that it would find with them. No contact holds a NUL, and SQLite takes it for an end.
 */
export function searchedText(typed: string | undefined): string {
  const text = fold(typed?.replaceAll('\0', '').trim() ?? '')
  return writtenNumber.test(text) ? text.replace(/[\s().\-/]/g, '').replace(/^0+(?=\d)/, '') : text
}

/** Tells whether contacts hold a folded text, without making their whole text. */
export function createTextTest(text: string) {
  const isOfNumber = /^\+?\d*$/.test(text)
  return (digits: number, name: string, email: string, tagsJson: string): boolean =>
    (isOfNumber && `+${digits}`.includes(text)) ||
    fold(name).includes(text) ||
    fold(email).includes(text) ||
    foldedTags(tagsJson).includes(text)
}
