import type { CsvRow } from '../../lib/csv/row-reader.ts'
import { fold } from '../../lib/fold.ts'
import { numberShapeDigits } from '../../lib/phone/number-shape.ts'
import { wordsOf } from '../../lib/title-words.ts'
import { isParentsPhone, mayBeNames, titleMeaning } from './column-titles.ts'
import { findHeader } from './find-header.ts'

/** Words for a person of a household, by person. */
const roles = [
  'mother|mom|mum|mutter|mama|mamma|madre|mere|mae|moeder',
  'father|dad|vater|papa|padre|pere|pai|vader',
  'child|kid|kind|pupil|student|schuler|schulerin|hijo|hija|alumno|alumna|enfant|eleve|figlio|figlia|filho|filha',
].map((words) => words.split('|'))

/** What tells a person's columns from those of others: a place such as `2`, or a role; undefined for another word. */
const markOf = (word: string): string | undefined =>
  /^([1-9])(?:st|nd|rd)?$/.exec(word)?.[1] ?? roles.find((words) => words.includes(word))?.[0]
const isPlace = (person: string) => /^\d$/.test(person)
/** A word or a place of a title. */
const titleWord = /\p{L}+(?:['’]s)?|(?<!\d)[1-9](?:st|nd|rd)?(?![\d\p{L}])/gu

interface Column {
  /** Null for a column of all. */
  person: string | null
  /** The words of its title without the person. */
  field: string
  title: string
}

function columnOf(title: string): Column {
  const words = wordsOf(title)
  const marks = words.flatMap((word) => markOf(word) ?? [])
  if (marks.length !== 1) return { person: null, field: words.join(' '), title }
  const isPersons = (word: string) => markOf(fold(word.replace(/['’]s$/, ''))) !== undefined
  const bare = title
    .replace(titleWord, (word) => (isPersons(word) ? ' ' : word))
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    .replace(/\s+/g, ' ')
  const field = words.filter((word) => markOf(word) === undefined && word !== 's').join(' ')
  return { person: marks[0]!, field, title: bare === title ? field : bare }
}

/** The columns by their titles. Tables side by side have the same ones, behind a column without one. */
function columnsOf(titles: readonly string[]): { columns: Column[]; isBeside: boolean } {
  const names = titles.map((title) => fold(title.trim()))
  const gap = names.indexOf('')
  const width = gap + 1
  const isSame = (at: number) => at % width < gap && names[at] === names[at % width]
  const isBeside = gap > 0 && names.slice(0, gap).every((name, at) => name === names[width + at])
  const columns = titles.map((title, at) =>
    isBeside
      ? {
          person: isSame(at) ? String(Math.floor(at / width) + 1) : null,
          field: names[at]!,
          title,
        }
      : columnOf(title),
  )
  return { columns, isBeside }
}

const isPhone = ({ field }: Column) => {
  const meaning = titleMeaning(field)
  return meaning?.to === 'phone' ? !meaning.isWeak : isParentsPhone(field)
}
const isName = ({ person, field }: Column) =>
  field === ''
    ? !isPlace(person ?? '')
    : ['name', 'first-name', 'last-name'].includes(titleMeaning(field)?.to ?? '') || mayBeNames(field)

/**
 * Takes rows apart that name several people, such as `Name 1`, `Mobile 1`, `Name 2`, `Mobile 2`, or a mother and a father, also in
 * tables side by side, so that each has a row. Null for other tables: the numbers beside one name are one person's. `first` are the table's first rows.
 */
export function createPeopleOfRow(first: readonly CsvRow[]) {
  const headerRow = findHeader(first)
  const titles = first.find(({ sheetRow }) => sheetRow === headerRow)?.cells ?? []
  const { columns, isBeside } = columnsOf(titles)
  const others = new Set(
    columns.flatMap(({ person, field }) => (person === null || person === '1' ? [] : field)),
  )
  const isOthers = (field: string) => field !== '' && others.has(field)
  // A Spanish name has two surnames.
  if (!isBeside && columns.some(({ person, field }) => person !== null && field === 'apellido')) return null
  // In “Name, Mobile, Name 2, Mobile 2”, the first person's have no place, as a child's beside its parents'.
  if (!columns.some(({ person }) => person === '1'))
    for (const one of columns) if (one.person === null && isOthers(one.field)) one.person = '1'
  const placesOf = (person: string, test: (one: Column) => boolean) =>
    columns.flatMap((one, at) => (one.person === person && test(one) ? [at] : []))
  const below = first.filter(({ sheetRow }) => sheetRow > headerRow)
  /** "SMS ok" is titled like a number. */
  const hasNumbers = (at: number) => below.some(({ cells }) => numberShapeDigits(cells[at] ?? '') > 0)
  const isOfNumbers = (one: Column) => isPhone(one) && hasNumbers(columns.indexOf(one))
  /** Of a table beside another, all columns are its people's. */
  const isTheirs = (one: Column) => isBeside || isOfNumbers(one)
  const people = [...new Set(columns.flatMap((one) => (isTheirs(one) && one.person) || []))].map(
    (person) => ({
      person,
      phones: placesOf(person, isTheirs),
      names: placesOf(person, isName),
    }),
  )
  const toOf = ({ field }: Column) => titleMeaning(field)?.to ?? ''
  const isFirstOfAll = columns.some(
    (one) => one.person === null && ['name', 'first-name'].includes(toOf(one)),
  )
  /** Beside a first name of all, last names are one person's. */
  const isNaming = (one: Column) => isName(one) && !(isFirstOfAll && toOf(one) === 'last-name')
  const isNamed = ({ person }: Column) => person !== null && placesOf(person, isNaming).length > 0
  const isParents = ({ person, field }: Column) => !isPlace(person ?? '1') || isParentsPhone(field)
  const owned = columns.filter((one) => one.person !== null && isPhone(one))
  const hasCommon = columns.some((one) => one.person === null && isOfNumbers(one))
  // A number beside those of parents is the child's.
  const isApart =
    owned.every((one) => isNamed(one) || isParents(one)) && !(hasCommon && owned.some(isParents))
  const isFilled = (cells: readonly string[], places: readonly number[]) =>
    places.some((at) => cells[at]?.trim())
  const further = below.flatMap(({ cells }) =>
    people.slice(1).flatMap((one) => (isFilled(cells, one.phones) ? { cells, ...one } : [])),
  )
  const unnamed = further.filter(({ cells, names }) => names.length > 0 && !isFilled(cells, names))
  if (further.length === 0 || (!isBeside && (!isApart || unnamed.length * 2 > further.length))) return null

  const isOwn = ({ person }: Column) => people.some((one) => one.person === person)
  /** Where a child's column without another word belongs. */
  const nameColumn =
    columns.find((one) => isOwn(one) && titleMeaning(one.field)?.to === 'first-name') ??
    columns.find((one) => isOwn(one) && isName(one) && one.field !== '')
  const slots = new Map<string, { title: string; places: number[] }>()
  for (const [at, one] of columns.entries()) {
    const { field, title } = one.field === '' ? (nameColumn ?? one) : one
    const slot = slots.get(field)
    const places = slot?.places ?? []
    const isShared = isOwn(one) && !places.some((other) => columns[other]!.person === one.person)
    if (isShared) slots.set(field, { title: slot?.title ?? title, places: [...places, at] })
    else slots.set(`column ${at}`, { title: titles[at]!, places: [at] })
  }

  return {
    /** The row once for each person that it names, without the cells of others. */
    apart({ cells, sheetRow }: Pick<CsvRow, 'cells' | 'sheetRow'>): string[][] {
      const named = people.filter(({ names, phones }) => isFilled(cells, [...names, ...phones]))
      if (sheetRow <= headerRow || named.length === 0) return [cells]
      return named.map(({ person }) =>
        cells.map((cell, at) => {
          const column = columns[at]
          return !column || !isOwn(column) || column.person === person ? cell : ''
        }),
      )
    },
    /** Such a row, with what belongs together in one column. */
    joined({ cells, sheetRow }: Pick<CsvRow, 'cells' | 'sheetRow'>): string[] {
      if (sheetRow < headerRow) return cells
      if (sheetRow === headerRow) return [...slots.values()].map(({ title }) => title)
      const own = [...slots.values()].map(
        ({ places }) => cells[places.find((at) => cells[at]?.trim()) ?? places[0]!] ?? '',
      )
      return [...own, ...cells.slice(columns.length)]
    },
  }
}
