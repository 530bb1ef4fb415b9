import { fold } from '../../lib/fold.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import type { StoreRow } from './store-types.ts'
import type { SearchTerms } from './search-terms.ts'

type Searched = Pick<StoreRow, 'name' | 'digits' | 'email' | 'tagsJson'>

/** Few distinct tag texts exist among many contacts. */
const tagTextsKept = 20_000

/** Unreadable tags have no text; the contact is found by its other fields. */
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

/** Searched text of a contact: name, number with plus, email and tags, folded, one per line. */
export const searchTextOf = ({ name, digits, email, tagsJson }: Searched): string =>
  `${fold(name)}\n+${digits}\n${fold(email)}\n${foldedTags(tagsJson)}`

/** What can be part of a number with its plus. */
const numberText = /^\+?\d*$/

/** Tests contacts without building their whole text: the number first, other fields only if needed. */
export function createTextTest(terms: SearchTerms) {
  const words = terms.map((ways) =>
    ways.map((texts) =>
      texts.map(({ text, besideNumber }) => ({ text, inNumber: !besideNumber && numberText.test(text) })),
    ),
  )
  /** The current contact, with its texts as needed. */
  let [digits, name, email, tagsJson] = [0, '', '', '{}']
  let number: string | null = null
  let foldedName: string | null = null
  let foldedEmail: string | null = null
  let tags: string | null = null
  const holds = ({ text, inNumber }: { text: string; inNumber: boolean }): boolean =>
    (inNumber && (number ??= `+${digits}`).includes(text)) ||
    (foldedName ??= fold(name)).includes(text) ||
    (foldedEmail ??= fold(email)).includes(text) ||
    (tags ??= foldedTags(tagsJson)).includes(text)

  return (ofDigits: number, ofName: string, ofEmail: string, ofTagsJson: string): boolean => {
    digits = ofDigits
    name = ofName
    email = ofEmail
    tagsJson = ofTagsJson
    number = foldedName = foldedEmail = tags = null
    return words.every((ways) => ways.some((texts) => texts.every(holds)))
  }
}
