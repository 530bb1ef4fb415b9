import { englishText } from '#electron/contract/phrases.ts'
import { expect, test } from 'vitest'
import { createTagReading } from '#electron/jobs/imports/read-tags.ts'
import type { ColumnTarget, ImportChoices } from '#electron/contract/people/imports.ts'
import { usualChoices } from '../../../helpers/contact-files.ts'

function read(
  cells: string[],
  tagCommas: ImportChoices['tagCommas'] = 'reject',
  columns: ColumnTarget[] = cells.map(() => ({ to: 'tags' })),
) {
  const choices: ImportChoices = {
    format: { encoding: 'utf-8', delimiter: ',', headerRow: 1 },
    columns,
    defaultRegion: 'DE',
    ...usualChoices,
    tagCommas,
  }
  const { json, problem } = createTagReading(choices)(cells.map((cell, at) => `${at}\0${cell}\0`).join(''))
  return { tags: JSON.parse(json) as Record<string, string>, problem: problem && englishText(problem) }
}

test('reads words and pairs between semicolons, a JSON object and a JSON list of words', () => {
  expect(read([' vip; city = Kiel ;;A/B'])).toEqual({
    tags: { vip: '', city: 'Kiel', 'A/B': '' },
    problem: null,
  })
  expect(read(['{"city": "Kiel", "vip": ""}'])).toEqual({ tags: { city: 'Kiel', vip: '' }, problem: null })
  expect(read(['["vip", " gold, old ", "city=Kiel", ""]'])).toEqual({
    tags: { vip: '', 'gold, old': '', city: 'Kiel' },
    problem: null,
  })
  expect(read(['"VIP","New, old" , "city=Kiel"'])).toEqual({
    tags: { VIP: '', 'New, old': '', city: 'Kiel' },
    problem: null,
  })
  expect(read(['[]'])).toEqual({ tags: {}, problem: null })
  expect(read(['{}'])).toEqual({ tags: {}, problem: null })
})

test('splits tags at bars and line breaks, and at commas by choice', () => {
  expect(read(['vip|test\nold']).tags).toEqual({ vip: '', test: '', old: '' })
  expect(read(['vip, city=Kiel,'], 'split')).toEqual({ tags: { vip: '', city: 'Kiel' }, problem: null })
  expect(read(['Kiel, Germany; vip'], 'as-one')).toEqual({
    tags: { 'Kiel, Germany': '', vip: '' },
    problem: null,
  })
})

test.each(['null', 'NULL', 'N/A', '<b>x</b>', '<a href="x">'])(
  'does not read placeholders or other notations as tags: %s',
  (cell) => {
    expect(read([cell])).toEqual({ tags: {}, problem: `“${cell}” isn’t a tag.` })
    expect(read([`city=Kiel;${cell};vip`])).toMatchObject({ tags: { city: 'Kiel', vip: '' } })
  },
)

test('reports and skips list items that are not words', () => {
  expect(read(['["vip", 7, null]'])).toEqual({ tags: { vip: '' }, problem: 'The tag isn’t text: “7”.' })
  expect(read(['[vip]'])).toEqual({ tags: {}, problem: '“[vip]” isn’t valid JSON.' })
  expect(read([JSON.stringify(['x'.repeat(201)])]).problem).toMatch(/ is longer than 200 characters\.$/)
})

test('reports a comma that may separate two tags, not one within a value', () => {
  expect(read(['vip=yes, region=north'])).toEqual({
    tags: {},
    problem: 'Commas between tags: “vip=yes, region=north”.',
  })
  expect(read(['name=Doe, Ann; vip'])).toEqual({ tags: { name: 'Doe, Ann', vip: '' }, problem: null })
})

test('reports the first unreadable one of several columns', () => {
  expect(read(['a, b', '=x'])).toEqual({
    tags: {},
    problem: 'Commas between tags: “a, b”.',
  })
})
