import { fold } from '../../lib/fold.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import type { BookRow } from './book-types.ts'
import type { Sought, SoughtText } from './sought-text.ts'

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

/** A contact as it is searched: its number with the plus, and the rest folded. */
type Fields = readonly [number: string, name: string, email: string, tags: string]

const holdsText =
  ({ text, besideNumber }: SoughtText) =>
  ([number, ...others]: Fields): boolean =>
    (!besideNumber && number.includes(text)) || others.some((field) => field.includes(text))

/** Tells whether contacts hold what is sought, without making their whole text. */
export function createTextTest(sought: Sought) {
  const words = sought.map((ways) => ways.map((texts) => texts.map(holdsText)))
  return (digits: number, name: string, email: string, tagsJson: string): boolean => {
    const fields: Fields = [`+${digits}`, fold(name), fold(email), foldedTags(tagsJson)]
    return words.every((ways) => ways.some((texts) => texts.every((holds) => holds(fields))))
  }
}
