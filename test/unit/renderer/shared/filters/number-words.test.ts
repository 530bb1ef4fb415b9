import { describe, expect, test } from 'vitest'
import {
  dialledNote,
  mayBeNumber,
  notFoundNote,
} from '../../../../../renderer/src/shared/filters/number-words.ts'

describe('a number without its country', () => {
  test('in national form says in which country it is searched', () => {
    expect(dialledNote('0151 / 123-4', 'DE')).toBe(
      'Searching as a national number (Germany), and for 1511234 anywhere. Add the country code (+49 151 23456789) to match one number.',
    )
    for (const typed of ['+49151123', '0049151123', '151123', '01', 'order 0151', ''])
      expect(dialledNote(typed, 'DE'), typed).toBeNull()
  })

  test('without matches says how to write it', () => {
    expect(notFoundNote('8 912 345')).toContain('for example +49 151 23456789')
    for (const typed of ['+7912345', 'order 8912', '12']) expect(notFoundNote(typed), typed).toBeNull()
  })

  test('is not every text with digits', () => {
    expect(mayBeNumber('(0151) 1234')).toBe(true)
    expect(mayBeNumber('m-1234')).toBe(false)
    expect(mayBeNumber('2.0')).toBe(false)
  })
})
