import type { CsvRow } from '../../lib/csv/row-reader.ts'
import { fold } from '../../lib/fold.ts'
import { numberShapeDigits } from '../../lib/phone/number-shape.ts'
import { wordsOf } from '../../lib/title-words.ts'
import { bareTitle, mayBeNames, relativeIn, titleMeaning } from './column-titles.ts'
import { isConsentTitle } from './consent-words.ts'
import { findHeader } from './find-header.ts'

const place = /^([1-9])(?:st|nd|rd)?$/
/** A word or a place of a title. */
const titleWord = /\p{L}+(?:['’]s)?|(?<!\d)[1-9](?:st|nd|rd)?(?![\d\p{L}])/gu

interface Column {
  /** Whose it is by its title: `2`, `mother` or `child 2`; empty if that is open, null if it is the whole row's. */
  person: string | null
  isRelative: boolean
  /** The words of its title without the person. */
  field: string
  title: string
}

function columnOf(title: string): Column {
  const words = wordsOf(title)
  const relative = relativeIn(words)
  // A mother's second mobile is hers, too. A second child is another one.
  const isOne = relative === 'mother' || relative === 'father'
  const places = isOne ? [] : words.flatMap((word) => place.exec(word)?.[1] ?? [])
  const isRelative = relative !== undefined
  if (places.length > 1) return { person: null, isRelative, field: words.join(' '), title }
  const [number = ''] = places
  const isPersons = (word: string) => relativeIn([word]) !== undefined || (!isOne && place.test(word))
  const field = words.filter((word) => !isPersons(word) && word !== 's').join(' ')
  const bare = title
    .replace(titleWord, (word) => (isPersons(fold(word.replace(/['’]s$/, ''))) ? ' ' : word))
    .replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '')
    .replace(/\s+/g, ' ')
  return {
    person: relative === 'child' ? `${relative} ${number}` : number || (relative ?? ''),
    isRelative,
    field,
    // `phone1` is one word of the title.
    title: field === words.join(' ') ? title : bare === title ? field : bare,
  }
}

/** The columns of tables side by side, which have the same titles, behind a column without one. Null for one table. */
function columnsBeside(titles: readonly string[]): Column[] | null {
  const names = titles.map((title) => fold(title.trim()))
  const gap = names.indexOf('')
  const width = gap + 1
  if (gap <= 0 || names.slice(0, gap).some((name, at) => name !== names[width + at])) return null
  return titles.map((title, at) => {
    const isSame = at % width < gap && names[at] === names[at % width]
    const person = isSame ? String(Math.floor(at / width) + 1) : null
    return { person, isRelative: false, field: names[at]!, title }
  })
}

const kinds = ['phone', 'name', 'first-name', 'last-name', 'email']

/** What a column holds of a person, if its values fit its title: "SMS ok" is titled like a number. */
function kindOf({ person, isRelative, field }: Column, values: readonly string[]): string | null {
  if (field === '') return isRelative ? 'name' : null
  const meaning = titleMeaning(field)
  if (meaning === null) return person !== '' && mayBeNames(field) ? 'name' : null
  const fits = values.length === 0 || values.some((value) => numberShapeDigits(value) > 0)
  if (meaning.to === 'phone' && (meaning.isWeak || !fits)) return null
  return kinds.includes(meaning.to) ? meaning.to : null
}

type Found = Column & { at: number; kind: string | null }
const isPhone = ({ kind }: Found) => kind === 'phone'
const isName = ({ kind }: Found) => kind?.endsWith('name') === true
/** What tells that columns of two people hold the same of each. */
const partOf = ({ kind, field }: Found) => kind ?? field

/** The order in which an import tries a number. */
function rankOf({ field }: Found): number {
  const meaning = titleMeaning(field)
  return meaning?.to === 'phone' ? meaning.rank : 0
}

/** The people of rows. */
interface People {
  people: string[]
  /** Whether the titles leave no doubt. */
  isSure: boolean
  /** Numbers that are someone else's, unless a person has none. */
  others: readonly Found[]
}

/** The people of whom columns have a number and say whose it is. Null if rows name one person. */
function peopleOf(columns: readonly Found[]): People | null {
  const groups = Map.groupBy(columns, ({ person }) => person)
  groups.delete(null)
  const isGiven = (one: Found) => isName(one) && one.kind !== 'last-name'
  // Two last names beside one first name are one person's.
  const tellsWho = columns.some(isGiven) ? isGiven : isName
  for (const [person, own] of groups)
    if (!own.some(isPhone) || !own.some((one) => tellsWho(one) || one.isRelative)) groups.delete(person)
  const all = [...groups].flatMap(([person, own]) => (person === null ? [] : { person, own }))
  const hasRelatives = all.some(({ own }) => own.some(({ isRelative }) => isRelative))
  // Someone's number without a name. One beside those of parents is the child's.
  const isUnclear = (one: Found) =>
    isPhone(one) && !groups.has(one.person) && (Boolean(one.person) || hasRelatives)
  if (all.length < 2 || columns.some(isUnclear)) return null
  const people = all.map(({ person }) => person)
  const phones = all.flatMap(({ own }) => own.filter(isPhone))
  // Behind “Owner, Phone” and before those of two tenants.
  const others = columns.filter(
    (one) => isPhone(one) && !groups.has(one.person) && phones.some((phone) => rankOf(phone) >= rankOf(one)),
  )
  if (others.length > 0) return { people, isSure: false, others }
  const sure = { people, isSure: true, others }
  if (all.every(({ own }) => own.some(({ isRelative }) => isRelative))) return sure
  // Each person's columns are beside each other. The first one's may be around those of others.
  const apart = people.length > 2 ? people.filter((person) => person !== '') : people
  const order = columns.filter((one) => apart.includes(one.person ?? '') && (isName(one) || isPhone(one)))
  const runs = order.filter((one, at) => one.person !== order[at - 1]?.person).length
  if (runs === apart.length) return sure
  // “First name 1, First name 2, Last name 1, Last name 2” are one person's. “Name 1, Name 2” may be a couple, or a company in two lines.
  return columns.some((one) => isName(one) && one.kind !== 'name') ? null : { ...sure, isSure: false }
}

/**
 * Takes rows apart that name several people, so that each has a row. The titles decide: columns with one place (`Name 2`, `Mobile 2`) or
 * relative (`Mother's mobile`) are a person's if they have a number and say whose it is. All others are the whole row's. Null for other
 * tables: the numbers beside one name are one person's. `first` are the table's first rows.
 */
export function createPeopleOfRow(first: readonly CsvRow[]) {
  const headerRow = findHeader(first)
  const titles = first.find(({ sheetRow }) => sheetRow === headerRow)?.cells ?? []
  const below = first.filter(({ sheetRow }) => sheetRow > headerRow)
  const beside = columnsBeside(titles)
  const columns: Found[] = (beside ?? titles.map(columnOf)).map((one, at) => {
    const values = below.flatMap(({ cells }) => cells[at]?.trim() || [])
    return { ...one, at, kind: kindOf(one, values) }
  })
  // In “Name, Mobile, Name 2, Mobile 2”, the first person's have no place. What the others don't have, as a town, is everyone's.
  const parts = new Set(columns.flatMap((one) => (one.person ? partOf(one) : [])))
  for (const one of columns) if (one.person === '' && !parts.has(partOf(one))) one.person = null
  const found = beside
    ? { people: [...new Set(columns.flatMap(({ person }) => person ?? []))], isSure: true, others: [] }
    : peopleOf(columns)
  if (found === null) return null
  const { people, isSure, others } = found
  const isOwn = ({ person }: Found) => person !== null && people.includes(person)

  /** Where a column belongs that is titled only `Mother`. */
  const nameColumn = columns.find((one) => isOwn(one) && one.kind === 'first-name') ??
    columns.find((one) => isOwn(one) && isName(one) && one.field !== '') ?? { field: 'name', title: 'Name' }
  const slots = new Map<string, { title: string; places: Found[] }>()
  for (const one of columns) {
    const { field, title } = one.field === '' ? nameColumn : one
    const isFree = (key: string) => !slots.get(key)?.places.some(({ person }) => person === one.person)
    // “Contact 2 name” belongs below “Name”.
    const keys = [field, bareTitle(field)]
    const key = keys.find((name) => slots.has(name) && isFree(name)) ?? keys.findLast(isFree)
    if (isOwn(one) && key !== undefined)
      slots.set(key, {
        title: slots.get(key)?.title ?? title,
        places: [...(slots.get(key)?.places ?? []), one],
      })
    else slots.set(`column ${one.at}`, { title: titles[one.at]!, places: [one] })
  }
  const isFilled = (cells: readonly string[]) => (one: Found) => Boolean(cells[one.at]?.trim())

  return {
    isSure,
    columns: columns.length,
    /** Titles of the columns of consent that are the whole row's. */
    sharedConsents: titles.filter((title, at) => !isOwn(columns[at]!) && isConsentTitle(title)),
    /** The row once for each person that it names, without the cells of others. */
    apart({ cells, sheetRow }: Pick<CsvRow, 'cells' | 'sheetRow'>): string[][] {
      const filled = columns.filter(isFilled(cells)).filter((one) => beside !== null || one.kind !== null)
      const named = people.filter((person) => filled.some((one) => one.person === person))
      if (sheetRow <= headerRow || named.length === 0) return [cells]
      const hasOwn = (person: string, kind: string | null) =>
        filled.some((one) => one.person === person && one.kind === kind)
      const rowOf = (person: string | null) =>
        cells.map((cell, at) => {
          const column = columns[at]
          if (!column || column.person === person) return cell
          const isReplaced =
            person !== null &&
            (column.kind === 'email' || others.includes(column)) &&
            hasOwn(person, column.kind)
          return isOwn(column) || isReplaced ? '' : cell
        })
      // A number that no one's row keeps has its own: a refusal must hold it.
      const isLeft =
        others.some((one) => filled.includes(one)) && named.every((person) => hasOwn(person, 'phone'))
      return [...(isLeft ? [null] : []), ...named].map(rowOf)
    },
    /** Such a row, with what belongs together in one column. */
    joined({ cells, sheetRow }: Pick<CsvRow, 'cells' | 'sheetRow'>): string[] {
      if (sheetRow < headerRow) return cells
      if (sheetRow === headerRow) return [...slots.values()].map(({ title }) => title)
      const own = [...slots.values()].map(({ places }) => cells[places.find(isFilled(cells))?.at ?? -1] ?? '')
      return [...own, ...cells.slice(columns.length)]
    },
  }
}
