import { describe, expect, test } from 'vitest'
import { eventFilterSchema } from '#contract/events.ts'
import {
  filterToQuery,
  fromLocalInput,
  isEmptyFilter,
  parseErrorCodes,
  queryToFilter,
  toLocalInput,
} from '../../../../renderer/src/features/events/event-filter.ts'

describe('the filter in the address', () => {
  test('comes back as it was written', () => {
    const filter = {
      kinds: ['dlr' as const, 'mo' as const],
      statuses: ['failed', 'a-new-word'],
      errorCodes: [1, 17],
      number: '+44 7700',
      text: 'stop, please',
      from: '2026-01-05T14:00:00.000Z',
      to: '2026-01-05T15:00:00.000Z',
    }
    expect(queryToFilter(filterToQuery(filter))).toEqual(filter)
  })

  test('of nothing is an empty address', () => {
    expect(filterToQuery({})).toEqual({})
    expect(filterToQuery({ kinds: [], statuses: [], errorCodes: [], number: '', text: '' })).toEqual({})
    expect(isEmptyFilter({ text: '' })).toBe(true)
    expect(isEmptyFilter({ text: 'x' })).toBe(false)
  })

  test.each([
    [
      { kind: 'dlr,nonsense', from: 'yesterday', code: 'x,3,--' },
      { kinds: ['dlr'], errorCodes: [3] },
    ],
    [{ kind: ['dlr', 'mo'], status: null, text: undefined }, {}],
    [{ to: '2026-01-05' }, { to: '2026-01-05T00:00:00.000Z' }],
    [{ number: '4'.repeat(90) }, { number: '4'.repeat(32) }],
  ])('typed by hand as %j keeps only what can be one', (query, filter) => {
    expect(queryToFilter(query)).toEqual(filter)
    expect(eventFilterSchema.parse(queryToFilter(query))).toEqual(filter)
  })

  test('never exceeds what the core accepts', () => {
    const query = {
      status: Array.from({ length: 50 }, (_, at) => `s${at}`).join(','),
      code: Array.from({ length: 90 }, (_, at) => at).join(','),
      text: 'x'.repeat(400),
    }
    expect(eventFilterSchema.safeParse(queryToFilter(query)).success).toBe(true)
  })
})

describe('error codes', () => {
  test.each([
    ['1, 4 7;7', [1, 4, 7]],
    ['', []],
    ['1.5 0x2 12345678901', []],
  ])('typed as %j are read', (typed, codes) => {
    expect(parseErrorCodes(typed)).toEqual(codes)
  })
})

describe('a time field', () => {
  test('gives back the second it was set to', () => {
    const iso = '2026-03-29T01:30:15.000Z'
    expect(fromLocalInput(toLocalInput(iso))).toBe(iso)
  })

  test('that is empty or broken is no time', () => {
    expect(fromLocalInput('')).toBeUndefined()
    expect(fromLocalInput('2026-13-99')).toBeUndefined()
    expect(toLocalInput(undefined)).toBe('')
    expect(toLocalInput('soon')).toBe('')
  })
})
