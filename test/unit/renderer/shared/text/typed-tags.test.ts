import { expect, test } from 'vitest'
import { isTagList, readTypedTags } from '../../../../../renderer/src/shared/text/typed-tags.ts'

test('reads words and pairs between semicolons, commas, bars and line breaks', () => {
  expect(readTypedTags(' vip|test; city = Kiel,,a=b=c\nold')).toEqual([
    { key: 'vip', value: '' },
    { key: 'test', value: '' },
    { key: 'city', value: 'Kiel' },
    { key: 'a', value: 'b=c' },
    { key: 'old', value: '' },
  ])
  expect(readTypedTags('=x')).toEqual([{ key: '', value: 'x' }])
  expect(readTypedTags('  ')).toEqual([])
})

test('tells a list from a single word', () => {
  expect(['vip', 'A/B', 'vip|test', 'a,b', 'city=Kiel'].map(isTagList)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ])
})
