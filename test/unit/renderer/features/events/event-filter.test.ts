import { describe, expect, test } from 'vitest'
import { eventFilterSchema } from '#contract/live/events.ts'
import {
  fieldsToQuery,
  fromLocalInput,
  isEmptyFilter,
  queryToFields,
  readErrorCodes,
  readFields,
} from '../../../../../renderer/src/features/events/event-filter.ts'
import { toLocalInput } from '../../../../../renderer/src/shared/time/local-input.ts'

describe('the filter in the address', () => {
  test('is read back as written', () => {
    const fields = {
      kinds: ['dlr' as const, 'mo' as const],
      statuses: ['failed', 'a-new-word'],
      code: '1, 17',
      number: '+44 7700',
      text: 'stop, please',
      from: '2026-01-05T14:00:00.000Z',
      to: '2026-01-05T15:00:00.000Z',
    }
    expect(queryToFields(fieldsToQuery(fields))).toEqual(fields)
    expect(readFields(fields).filter).toMatchObject({ errorCodes: [1, 17], number: '+44 7700' })
  })

  test('is an empty address when empty', () => {
    expect(fieldsToQuery({})).toEqual({})
    expect(fieldsToQuery({ kinds: [], statuses: [], code: '', number: '', text: '' })).toEqual({})
    expect(isEmptyFilter({ text: '' })).toBe(true)
    expect(isEmptyFilter({ code: 'x' })).toBe(false)
  })

  test.each([
    [{ kind: ['dlr', 'mo'], status: null, text: undefined }, {}],
    [{ to: '2026-01-05' }, { to: '2026-01-05T00:00:00.000Z' }],
  ])('typed as %j keeps only its valid parts', (query, filter) => {
    expect(readFields(queryToFields(query)).filter).toEqual(filter)
  })

  test('never exceeds what the core accepts', () => {
    const query = {
      status: Array.from({ length: 50 }, (_, at) => `s${at}`).join(','),
      code: Array.from({ length: 64 }, (_, at) => at).join(','),
      number: '4'.repeat(64),
      text: 'x'.repeat(400),
    }
    expect(eventFilterSchema.safeParse(readFields(queryToFields(query)).filter).success).toBe(true)
  })
})

describe('invalid parts of the address', () => {
  test('give no filter, are named, and stay in the address until corrected', () => {
    const query = { kind: 'dlr,nonsense', from: 'yesterday', to: '2026-01-05T00:00:00.000Z' }
    const fields = queryToFields(query)
    expect(readFields(fields)).toEqual({
      filter: null,
      problems: { kinds: '“nonsense” isn’t an event type', from: '“yesterday” isn’t a time' },
    })
    expect(fieldsToQuery(fields)).toEqual(query)
    expect(isEmptyFilter(queryToFields({ kind: 'nonsense' }))).toBe(false)
  })

  test.each(['1', '2026', '1/2/2026', 'May 2026', '2026-01-05 CET', '2026-13-05'])(
    'does not guess a time from %j',
    (from) => {
      expect(readFields(queryToFields({ from })).problems).toEqual({ from: `“${from}” isn’t a time` })
    },
  )

  test.each([
    ['2026-01-05', '2026-01-05T00:00:00.000Z'],
    ['2026-01-05T06:30Z', '2026-01-05T06:30:00.000Z'],
    ['2026-01-05T06:30:15.250+02:00', '2026-01-05T04:30:15.250Z'],
  ])('reads %j', (from, iso) => {
    expect(queryToFields({ from })).toEqual({ from: iso })
  })
})

describe('an invalid filter is not applied and says why', () => {
  test.each([
    [{ number: 'abc' }, { number: '“abc” has no digits' }],
    [{ number: '%' }, { number: '“%” has no digits' }],
    [{ number: '00' }, { number: '“00” is too short' }],
    [{ number: '4'.repeat(65) }, { number: 'longer than 64 characters' }],
    [
      { number: '0151 1, 0160 2' },
      {
        number: '“0151 1, 0160 2” isn’t a number. Use the form +49 151 23456789',
      },
    ],
    [{ code: 'x, 3' }, { code: '“x” isn’t a whole number' }],
    [{ code: '1.5' }, { code: '“1.5” isn’t a whole number' }],
    [{ code: '9007199254740993' }, { code: '“9007199254740993” is out of range' }],
    [{ code: Array.from({ length: 65 }, (_, at) => at).join(' ') }, { code: 'more than 64 codes' }],
    [
      { code: 'a\u202Eb', number: '+' },
      { code: '“a[U+202E]b” isn’t a whole number', number: '“+” has no digits' },
    ],
  ])('%j', (fields, problems) => {
    expect(readFields({ statuses: ['failed'], ...fields })).toEqual({ filter: null, problems })
  })

  test.each(['+49', '0049', '49 (0)', '000', '(0151) 123–4 / 5'])(
    'accepts a number typed as %j',
    (number) => {
      expect(readFields({ number })).toEqual({ filter: { number }, problems: null })
    },
  )

  test('adds the region to a number', () => {
    expect(readFields({ number: '0151' }, 'DE').filter).toEqual({ number: '0151', region: 'DE' })
    // Also with a country code: stored numbers may be in national form.
    expect(readFields({ number: '+49 151' }, 'DE').filter).toEqual({ number: '+49 151', region: 'DE' })
    for (const fields of [{ text: '0151' }, {}]) expect(readFields(fields, 'DE').filter).toEqual(fields)
  })
})

describe('error codes', () => {
  test.each([
    ['1, 4 7;7', [1, 4, 7]],
    ['', []],
    [' , ', []],
    ['-3 +5 007', [-3, 5, 7]],
    ['-0', [0]],
  ])('typed as %j are read', (typed, codes) => {
    expect(readErrorCodes(typed)).toEqual({ codes, problem: null })
  })
})

describe('a time field', () => {
  test('returns the second it was set to', () => {
    const iso = '2026-03-29T01:30:15.000Z'
    expect(fromLocalInput(toLocalInput(iso))).toBe(iso)
  })

  test('that is empty or invalid gives no time', () => {
    expect(fromLocalInput('')).toBeUndefined()
    expect(fromLocalInput('2026-13-99')).toBeUndefined()
    expect(toLocalInput(undefined)).toBe('')
    expect(toLocalInput('soon')).toBe('')
  })
})
