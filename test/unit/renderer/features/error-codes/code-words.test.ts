import { expect, it } from 'vitest'
import {
  categoriesOf,
  foundText,
  meaningOf,
} from '../../../../../renderer/src/features/error-codes/code-words.ts'
import { ordinaryErrorCodes } from '../../../../helpers/scripted/error-codes.ts'

it('says how many of the service’s codes are new', () => {
  const items = ordinaryErrorCodes().slice(0, 2)
  expect(foundText({ items, added: 1 })).toBe('2 codes found, 1 new.')
  expect(foundText({ items, added: 0 })).toBe('2 codes found, none new.')
  expect(foundText({ items: [], added: 0 })).toBe('No results')
})

it('puts the record’s meaning before the specification’s, and each category once', () => {
  const [card] = ordinaryErrorCodes()
  expect(meaningOf({ ...card!, records: [] })).toBe('Invalid destination')
  expect(meaningOf({ ...card!, records: [{ ...card!.records[0]!, description: '' }] })).toBe(
    'Invalid destination',
  )
  expect(meaningOf({ ...card!, records: [], dlrMeaning: null })).toBeNull()
  expect(categoriesOf({ ...card!, records: [...card!.records, ...card!.records] })).toBe('addressing')
})
