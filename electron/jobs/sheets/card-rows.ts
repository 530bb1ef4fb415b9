import type { Language } from '../../contract/texts.ts'
import { type CsvColumn, titlesOf } from '../run/csv-headers.ts'
import { type Card, cardsOf, numberKinds } from './cards.ts'

const numberTitles = {
  mobile: 'mobile_phone',
  home: 'home_phone',
  work: 'work_phone',
  other: 'other_phone',
  fax: 'fax',
} as const satisfies Record<(typeof numberKinds)[number], CsvColumn>

/** Columns that repeat for cards with several values. */
const lists: [CsvColumn, (card: Card) => readonly string[]][] = [
  ...numberKinds.map((kind): [CsvColumn, (card: Card) => readonly string[]] => [
    numberTitles[kind],
    ({ numbers }) => numbers[kind],
  ]),
  ['email', ({ emails }) => emails],
  ['country', ({ country }) => (country === '' ? [] : [country])],
]
/** Without a title where no card has one. */
const isOptional = (column: CsvColumn): boolean => column === 'country'

/** A category that can't be mistaken for several tags or a tag with a value. */
const plainTag = /^[^|;,=[\]{}"\r\n]+$/

const tagsCell = (categories: readonly string[]): string =>
  categories.every((one) => plainTag.test(one)) ? categories.join('|') : JSON.stringify(categories)

/**
 * Contact cards as rows: a header, then one row per card. Each kind of number has a column of its own, and more where a card has several.
 * National numbers are read in the country of the address. Reads the file twice. `between` is awaited with the bytes done and their total.
 */
export async function readCards(
  { file, sizeBytes, language }: { file: string; sizeBytes: number; language?: Language | undefined },
  onRow: (cells: string[]) => void,
  between: (done: number, total: number) => Promise<void>,
): Promise<void> {
  const counts: number[] = lists.map(([column]) => (isOptional(column) ? 0 : 1))
  for await (const card of cardsOf(file, (done) => between(done, 2 * sizeBytes)))
    lists.forEach(([, of], at) => (counts[at] = Math.max(counts[at]!, of(card).length)))
  const header = lists.flatMap(([column], at) => {
    const [title] = titlesOf([column], language)
    return Array.from({ length: counts[at]! }, (_, place) => (place === 0 ? title! : `${title}_${place + 1}`))
  })
  onRow([
    ...titlesOf(['name', 'first_name', 'last_name'], language),
    ...header,
    ...titlesOf(['organization', 'note', 'tags'], language),
  ])
  for await (const card of cardsOf(file, (done) => between(sizeBytes + done, 2 * sizeBytes)))
    onRow([
      card.name,
      card.firstName,
      card.lastName,
      ...lists.flatMap(([, of], at) =>
        Array.from({ length: counts[at]! }, (_, place) => of(card)[place] ?? ''),
      ),
      card.organization,
      card.note,
      tagsCell(card.categories),
    ])
}
